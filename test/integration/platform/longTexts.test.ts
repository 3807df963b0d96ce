import { expect, test } from 'vitest';
import { readTokens } from '../../../src/platform/auth/tokenFile.ts';
import { MINUTE_MS, type WiredSystem } from '../../support/system/virtualSystem.ts';
import { answersOf, deviceWith, lastOn, poll, startWired } from '../../support/system/wired.ts';

const CURVE = 'heating.circuits.0.heating.curve';
const LONG = `a\nb\u0007 ${'x'.repeat(500_000)}`;
/** Longer than any answer or line of the log needs to be. */
const LONGEST = 2500;
const COMMANDS = { method: 'POST', path: '/commands/' };

const start = async () => {
  const system = await startWired({ devices: [deviceWith(CURVE)] });
  const tokens = await readTokens(system.dir);
  const setCurve = async (shift: number): Promise<void> => {
    system.send('heating2mqtt/home/heating/circuits/0/heating/curve/call/setCurve', `{"slope":1.5,"shift":${shift}}`);
    await system.time.pass(2 * MINUTE_MS);
  };
  return { system, setCurve, access: tokens?.access_token ?? '', refresh: tokens?.refresh_token ?? '', check: watch(system) };
};

const longest = (texts: readonly string[]): number => Math.max(0, ...texts.map(({ length }) => length));

/** Nothing that the bridge says or logs from here on is long, or holds a secret. */
const watch = (system: WiredSystem) => {
  const [heard, logged] = [system.messages.length, system.logged.length];
  return (...secrets: readonly string[]): void => {
    const lines = system.logged.slice(logged).map((line) => JSON.stringify(line));
    const said = system.messages.slice(heard).map(({ payload }) => payload);
    expect(lines).not.toEqual([]);
    expect(longest(lines)).toBeLessThan(LONGEST);
    expect(longest(said.filter((payload) => payload.includes('xxx')))).toBeLessThan(LONGEST);
    for (const secret of secrets) {
      expect(secret).toMatch(/.{20}/);
      expect([...lines, ...said].some((text) => text.includes(secret))).toBe(false);
    }
  };
};

const everywhere = (token: string) => ({
  errorType: LONG,
  viErrorId: LONG,
  error: LONG,
  message: `${token} ${encodeURIComponent(token)} ${token.replaceAll('/', '\\/')} ${LONG}`,
  extendedPayload: { reason: LONG, name: LONG, replacement: LONG, monetization: LONG, details: [LONG, { message: LONG }, { a: LONG }] },
});

test.each([200, 400, 403, 410, 429, 500])(
  'half a megabyte of words of the platform, everywhere (%i) is cut, in answers and in the log',
  async (status) => {
    const { system, setCurve, access, check } = await start();
    const body = everywhere(access);
    system.simulator.control({ command: 'fault', status, body, match: COMMANDS });
    await setCurve(2);
    expect(answersOf(system).at(-1)).toMatchObject({ status: 'failed' });
    system.simulator.control({ command: 'clear' });
    system.simulator.control({ command: 'fault', status, body, match: { method: 'GET' } });
    await poll(system);
    check(access);
  },
);

test('half a megabyte of words in a yes or in a no is cut too', async () => {
  const { system, setCurve, access, check } = await start();
  for (const execute of [false, true]) {
    const body = { data: { success: execute, message: `${access} ${LONG}`, reason: LONG } };
    system.simulator.control({ command: 'fault', status: 200, body, times: 1, execute, match: COMMANDS });
    await setCurve(execute ? 3 : 2);
    expect(answersOf(system).at(-1)).toMatchObject({ status: execute ? 'applied' : 'failed' });
  }
  check(access);
});

test.each([
  [400, 'invalid_grant', 'login_needed'],
  [503, 'server_error', 'failing'],
  [400, LONG.slice(0, 60_000), 'failing'],
])('a long refusal of the identity service (%i) is cut in bridge/auth and in the log', async (status, error, state) => {
  const { system, access, refresh, check } = await start();
  const error_description = `${refresh} ${encodeURIComponent(refresh)} ${LONG.slice(0, 60_000)}`;
  system.simulator.control({ command: 'fault', status, body: { error, error_description }, match: { path: '/token' } });
  system.simulator.control({ command: 'expire_tokens' });
  await poll(system);
  const payload = lastOn(system, 'heating2mqtt/bridge/auth') ?? '';
  expect(payload.length).toBeLessThan(LONGEST);
  expect(JSON.parse(payload)).toMatchObject({ state, message: expect.not.stringMatching(/\p{Cc}/u) });
  check(access, refresh);
});
