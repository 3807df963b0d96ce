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
  const house = await startTestSystem(options);
  onTestFinished(() => house.close());
  await published(house);
  return house;
};

const auth = async (house: TestSystem, state: string, from: number): Promise<{ readonly state: string; readonly message: string }> => {
  const { payload } = await house.recorder.until((heard) => heard.topic === AUTH && JSON.parse(heard.payload).state === state, from);
  return JSON.parse(payload);
};

test.each([
  ['a token straight after its renewal (401)', { kind: 'expired_token' }, 'access token that its identity service has just issued'],
  ['access (403)', { status: 403, body: { statusCode: 403, errorType: 'FORBIDDEN', message: 'No.' } }, 'platform.scope'],
])(
  'while the platform refuses %s, bridge/auth is failing and says what to look at, and is ok again afterwards',
  async (_, fault, sentence) => {
    const house = await start(ALL);
    const before = house.recorder.heard.length;
    house.simulator.control({ command: 'fault', ...fault, match: { path: '/features' } });
    await polled(house);
    expect((await auth(house, 'failing', before)).message).toContain(sentence);
    expect(house.app.standing().auth).toBe('failing');
    const after = house.recorder.heard.length;
    house.simulator.control({ command: 'clear' });
    await polled(house);
    expect((await auth(house, 'ok', after)).message).toBe('Logged in.');
  },
);

test('one feature that is refused (403) is no matter of the login', async () => {
  const house = await start(PART);
  expect(house.reads()).toBe(2);
  expect(house.recorder.heard.filter(({ topic, payload }) => topic === AUTH && payload.includes('failing'))).toEqual([]);
});

test('a new login is tried at once with what was refused for hours', async () => {
  const house = await start({ ...PART, overrides: { platform: { read: 'feature' }, poll: { seconds: 0.2 } } });
  house.simulator.control({ command: 'clear' });
  await storeTokens(house.settings.data_dir, house.simulator);
  house.simulator.control({ command: 'expire_tokens' });
  await storeTokens(house.settings.data_dir, house.simulator);
  await house.recorder.untilTopic('heating2mqtt/home/heating/dhw/active', 'true');
});
