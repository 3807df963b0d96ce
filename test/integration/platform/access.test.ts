import { expect, onTestFinished, test } from 'vitest';
import { ALL, CANARY, polled, published } from '../../support/system/outcome.ts';
import { startTestSystem, storeTokens, type TestSystem, type TestSystemOptions } from '../../support/system/testSystem.ts';

const AUTH = 'heating2mqtt/bridge/auth';

/** Two features, of which one is refused. */
const PART: TestSystemOptions = {
  device: { features: ['heating.dhw', CANARY] },
  overrides: { platform: { read: 'feature' } },
  prepare: (simulator) => void simulator.control({ command: 'fault', status: 403, body: {}, match: { path: 'heating.dhw$' } }),
};

const start = async (options: TestSystemOptions): Promise<TestSystem> => {
  const system = await startTestSystem(options);
  onTestFinished(() => system.close());
  await published(system);
  return system;
};

const auth = async (system: TestSystem, state: string, from: number): Promise<{ readonly state: string; readonly message: string }> => {
  const { payload } = await system.recorder.until((heard) => heard.topic === AUTH && JSON.parse(heard.payload).state === state, from);
  return JSON.parse(payload);
};

test.each([
  ['a token straight after its renewal (401)', { kind: 'expired_token' }, 'access token that its identity service has just issued'],
  ['access (403)', { status: 403, body: { statusCode: 403, errorType: 'FORBIDDEN', message: 'No.' } }, 'platform.scope'],
])(
  'while the platform refuses %s, bridge/auth is failing and says what to look at, and is ok again afterwards',
  async (_, fault, sentence) => {
    const system = await start(ALL);
    const before = system.recorder.heard.length;
    system.simulator.control({ command: 'fault', ...fault, match: { path: '/features' } });
    await polled(system);
    expect((await auth(system, 'failing', before)).message).toContain(sentence);
    expect(system.app.status().auth).toBe('failing');
    const after = system.recorder.heard.length;
    system.simulator.control({ command: 'clear' });
    await polled(system);
    expect((await auth(system, 'ok', after)).message).toBe('Logged in.');
  },
);

test('one feature that is refused (403) is no matter of the login', async () => {
  const system = await start(PART);
  expect(system.reads()).toBe(2);
  expect(system.recorder.heard.filter(({ topic, payload }) => topic === AUTH && payload.includes('failing'))).toEqual([]);
});

test('a new login is tried at once with what was refused for hours', async () => {
  const system = await start({ ...PART, overrides: { platform: { read: 'feature' }, poll: { seconds: 0.2 } } });
  system.simulator.control({ command: 'clear' });
  await storeTokens(system.settings.data_dir, system.simulator);
  system.simulator.control({ command: 'expire_tokens' });
  await storeTokens(system.settings.data_dir, system.simulator);
  await system.recorder.untilTopic('heating2mqtt/home/heating/dhw/active', 'true');
});
