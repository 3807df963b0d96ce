import { expect, onTestFinished, test } from 'vitest';
import { readTokens } from '../../../src/platform/auth/tokenFile.ts';
import { DEVICE_RESULT, resultIn, write } from '../../support/schedules/writing.ts';
import { polled, published } from '../../support/system/outcome.ts';
import { startTestSystem, type TestSystem } from '../../support/system/testSystem.ts';

const CURVE = 'heating2mqtt/home/heating/circuits/0/heating/curve/call/setCurve';
const AUTH = 'heating2mqtt/bridge/auth';
const LONG = `a\nb\u0007 ${'x'.repeat(500_000)}`;
/** Longer than any answer or line of the log needs to be. */
const LONGEST = 2500;

const start = async (): Promise<TestSystem> => {
  const system = await startTestSystem({
    device: { features: ['heating.circuits.0.heating.curve'] },
  });
  onTestFinished(() => system.close());
  await published(system);
  return system;
};

const longest = (texts: readonly string[]): number => Math.max(0, ...texts.map(({ length }) => length));

/** Nothing that the bridge says or logs from here on is long, or holds a secret. */
const watch = (system: TestSystem) => {
  const [heard, logged] = [system.recorder.heard.length, system.logged.length];
  return async (...secrets: readonly (string | undefined)[]): Promise<void> => {
    const lines = system.logged.slice(logged).map((line) => JSON.stringify(line));
    const said = system.recorder.heard.slice(heard).map(({ payload }) => payload);
    expect(longest(lines)).toBeLessThan(LONGEST);
    expect(longest(said.filter((payload) => payload.includes('xxx')))).toBeLessThan(LONGEST);
    for (const secret of secrets) {
      expect(secret).toMatch(/.{20}/);
      expect([...lines, ...said].some((text) => text.includes(secret ?? ''))).toBe(false);
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

test.each([200, 400, 402, 403, 404, 410, 424, 429, 500])(
  'half a megabyte of words of the platform, everywhere (%i) is cut, in answers and in the log',
  async (status) => {
    const system = await start();
    const { access_token = '' } = (await readTokens(system.settings.data_dir)) ?? {};
    const check = watch(system);
    system.simulator.control({ command: 'fault', status, body: everywhere(access_token), match: { method: 'POST', path: '/commands/' } });
    const { terminal } = await write(system, CURVE, '{"slope":1.5,"shift":2}');
    expect(terminal.status).toBe('failed');
    system.simulator.control({ command: 'clear' });
    system.simulator.control({ command: 'fault', status, body: everywhere(access_token), match: { method: 'GET' } });
    if (status !== 429) await polled(system);
    await check(access_token);
  },
);

test('half a megabyte of words in a yes or in a no is cut too', async () => {
  const system = await start();
  const { access_token = '' } = (await readTokens(system.settings.data_dir)) ?? {};
  const check = watch(system);
  for (const success of [false, true]) {
    const body = { data: { success, message: `${access_token} ${LONG}`, reason: LONG } };
    system.simulator.control({
      command: 'fault',
      status: 200,
      body,
      times: 1,
      execute: success,
      match: { method: 'POST', path: '/commands/' },
    });
    await write(system, CURVE, `{"slope":1.${success ? 5 : 6},"shift":2}`);
  }
  const answers = system.recorder.heard.filter(({ topic }) => topic === DEVICE_RESULT).map(resultIn);
  expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining(['failed', 'applied']));
  await check(access_token);
});

test.each([
  [400, 'invalid_grant', 'login_needed'],
  [400, 'server_error', 'failing'],
  [503, 'server_error', 'failing'],
  [400, LONG.slice(0, 60_000), 'failing'],
])('a long refusal of the identity service (%i) is cut in bridge/auth and in the log', async (status, error, state) => {
  const system = await start();
  const { access_token, refresh_token = '' } = (await readTokens(system.settings.data_dir)) ?? {};
  const check = watch(system);
  const error_description = `${refresh_token} ${encodeURIComponent(refresh_token)} ${LONG.slice(0, 60_000)}`;
  system.simulator.control({ command: 'fault', status, body: { error, error_description }, match: { path: '/token' } });
  system.simulator.control({ command: 'expire_tokens' });
  const from = system.recorder.heard.length;
  await system.recorder.publish('heating2mqtt/bridge/poll/set', 'now');
  const { payload } = await system.recorder.until((heard) => heard.topic === AUTH && heard.payload.includes(`"state":"${state}"`), from);
  expect(payload.length).toBeLessThan(LONGEST);
  expect(JSON.parse(payload).message).not.toMatch(/\p{Cc}/u);
  await check(access_token, refresh_token);
});
