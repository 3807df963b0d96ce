import { expect, onTestFinished, test } from 'vitest';
import { textReader } from '../../src/calendar/fetchText.ts';
import { identityService } from '../../src/platform/auth/identityService.ts';
import { platformClient } from '../../src/platform/client.ts';
import { V1_PATHS } from '../../src/platform/paths.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { HOSTILE_KINDS, serveHostile } from '../support/network/hostile.ts';

const silent = () => undefined;
const LOG = { debug: silent, info: silent, warn: silent, error: silent };
const TIMEOUT_MS = 1500;
const MB = 1_000_000;

/** The most memory that the process had while this was under way, beyond what it had before. */
const growth = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 10);
  await work();
  clearInterval(timer);
  return Math.max(most, process.memoryUsage.rss()) - before;
};

const CODES = ['timeout', 'too_large', 'cut', 'bad_answer', 'identity_unavailable'];

const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no failure',
    (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
  );

test.each(HOSTILE_KINDS)('%s ends in time and takes little memory', async (kind) => {
  const { url, close } = await serveHostile(kind);
  onTestFinished(close);
  const names = { client_id: 'a', redirect_uri: 'http://localhost:4200/', scope: 'IoT' };
  const identity = identityService({ profile: 'v1', auth_url: url, ...names, timeout_s: TIMEOUT_MS / 1000 }, systemClock);
  onTestFinished(() => identity.close());
  const tokens = { accessToken: async () => 'a-token', renew: async () => 'a-token' };
  const client = platformClient({ baseUrl: url, paths: V1_PATHS, timeoutMs: TIMEOUT_MS, tokens, log: LOG, onCall: () => undefined });
  onTestFinished(() => client.close());
  const target = { installation: '1', gateway: '2', device: '0', feature: 'a.b' };
  const calls = [() => client.readFeatures(target), () => client.execute(target, 'set', {}), () => identity.refresh('a-refresh-token')];
  for (const call of calls) {
    const began = performance.now();
    let code: unknown;
    const bytes = await growth(async () => {
      code = await codeOf(call());
    });
    expect(CODES).toContain(code);
    expect(performance.now() - began).toBeLessThan(TIMEOUT_MS + 2500);
    expect(bytes).toBeLessThan(200 * MB);
  }
});

test('a calendar that comes byte by byte takes little memory', async () => {
  const { url, close } = await serveHostile('an endless body, byte by byte');
  onTestFinished(close);
  const bytes = await growth(() =>
    expect(textReader('calendar', url, true)(new AbortController().signal)).rejects.toThrow('the answer has more than 5 MB'),
  );
  expect(bytes).toBeLessThan(200 * MB);
});
