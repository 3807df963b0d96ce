import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readTokens } from '../../src/platform/auth/tokenFile.ts';
import { type Clock, systemClock } from '../../src/shared/clock.ts';
import { startCommand } from '../support/cli/inProcess.ts';
import { barrier } from '../support/schedules/writing.ts';
import { logInAt } from '../support/system/logInAt.ts';
import { restarted } from '../support/system/outcome.ts';
import { SCHEDULE_TOPIC, startTestSystem, storeTokens, type TestSystem } from '../support/system/testSystem.ts';

const AUTH = 'heating2mqtt/bridge/auth';
const TOKEN = '/token';
/** Longer than a login takes: an answer that comes before its end proves less, and harms nothing. */
const LATE_MS = 2000;

/** `heating2mqtt login --paste` beside the bridge; resolves when it has ended well. */
const loginBeside = async ({ settings }: TestSystem): Promise<void> => {
  const file = join(settings.data_dir, 'login-settings.yaml');
  writeFileSync(file, JSON.stringify({ ...settings, choices: undefined }));
  const stdin = new PassThrough();
  const { until, out, ended } = startCommand(['login', '--paste', '--config', file], { stdin, cwd: settings.data_dir });
  await until('/authorize');
  stdin.end(`${await logInAt(/^http\S+\/authorize\S+$/m.exec(out())?.[0] ?? '')}\n`);
  expect(await ended).toMatchObject({ code: 0, out: expect.stringContaining('Logged in') });
};

const grants = (system: TestSystem, grant: string): readonly URLSearchParams[] =>
  system.simulator
    .calls()
    .filter(({ path }) => path.includes(TOKEN))
    .map(({ body }) => new URLSearchParams(body))
    .filter((form) => form.get('grant_type') === grant);

/** A read whose token is refused, so that the token is renewed; what the identity service answers comes late. */
const beginRenewal = async (system: TestSystem, fault: object): Promise<void> => {
  const before = grants(system, 'refresh_token').length;
  system.simulator.control({ command: 'fault', delayMs: LATE_MS, times: 1, match: { path: TOKEN }, ...fault });
  system.simulator.control({ command: 'expire_tokens' });
  await system.recorder.publish('heating2mqtt/bridge/poll/set', 'now');
  await expect.poll(() => grants(system, 'refresh_token').length).toBe(before + 1);
};

/** After a restart the login is what is left: its refresh token is sent next, and neither that before it nor a renewed one. */
const expectLoginKept = async (system: TestSystem, notThese: readonly (string | null | undefined)[]): Promise<void> => {
  const from = await restarted(system);
  const before = grants(system, 'refresh_token').length;
  system.simulator.control({ command: 'expire_tokens' });
  await system.recorder.publish('heating2mqtt/bridge/poll/set', 'now');
  await expect.poll(() => grants(system, 'refresh_token').length).toBe(before + 1);
  expect(notThese).not.toContain(grants(system, 'refresh_token').at(-1)?.get('refresh_token'));
  await system.recorder.until(({ topic, payload }) => topic === AUTH && payload.includes('"ok"'), from);
  await barrier(system);
  // The first `ok` is that of the start; the one that counts comes after the renewal.
  await expect.poll(() => JSON.parse(system.recorder.last(AUTH) ?? '{}')).toMatchObject({ state: 'ok' });
};

const GOOD_READ = expect.objectContaining({ method: 'GET', status: 200, path: expect.stringContaining('/features') });

const start = async (clock?: Clock): Promise<TestSystem> => {
  const system = await startTestSystem({ simulator: { rotateRefreshTokens: true }, ...(clock ? { clock } : {}) });
  onTestFinished(() => system.close());
  await system.recorder.untilTopic('heating2mqtt/home/availability', 'online');
  return system;
};

/** The answer of the late renewal: it works, is refused for good, or fails. */
const ANSWERS: readonly (readonly [words: string, fault: (system: TestSystem) => { readonly fault: object; readonly refresh?: string }])[] =
  [
    [
      'that works',
      ({ simulator }) => {
        const tokens = simulator.issueTokens('IoT User offline_access');
        return { fault: { status: 200, contentType: 'application/json', body: tokens }, refresh: tokens.refresh_token ?? '' };
      },
    ],
    ['that is refused for good', () => ({ fault: { kind: 'invalid_grant' } })],
    ['that fails', () => ({ fault: { kind: 'identity_error' } })],
  ];

describe('a login beside a renewal', () => {
  test.each(ANSWERS)('%s after it, wins', async (_, answer) => {
    const system = await start();
    const { fault, refresh } = answer(system);
    await beginRenewal(system, fault);
    const before = grants(system, 'refresh_token').at(-1)?.get('refresh_token');
    const [from, calls] = [system.recorder.heard.length, system.simulator.calls().length];
    await loginBeside(system);
    await expect.poll(() => system.simulator.calls().slice(calls)).toContainEqual(GOOD_READ);
    expect(system.recorder.heard.slice(from).filter(({ topic, payload }) => topic === AUTH && payload.includes('login_needed'))).toEqual(
      [],
    );
    await expectLoginKept(system, [before, refresh]);
  });
});

test('a login made while the clock was a day behind is taken up and not written over', async () => {
  let aheadMs = 0;
  const system = await start({ ...systemClock, now: () => Date.now() + aheadMs });
  const write = async (week: string): Promise<void> => {
    const from = system.recorder.heard.length;
    await system.recorder.publish(`${SCHEDULE_TOPIC}/set`, week);
    await system.recorder.until(({ topic, payload }) => topic === 'heating2mqtt/home/result' && payload.includes('"accepted"'), from);
  };
  // The login before was made, and is used, a day ahead.
  aheadMs = 86_400_000;
  system.simulator.control({ command: 'expire_tokens' });
  await storeTokens(system.settings.data_dir, system.simulator, 'IoT User offline_access', Date.now() + aheadMs);
  await write('daily 05:00-22:00 normal');
  const before = (await readTokens(system.settings.data_dir))?.refresh_token;
  await loginBeside(system);
  system.simulator.control({ command: 'expire_tokens' });
  await write('daily 06:00-22:00 normal');
  expect(grants(system, 'refresh_token').map((form) => form.get('refresh_token'))).not.toContain(before);
  await expectLoginKept(system, [before]);
});
