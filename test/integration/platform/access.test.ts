import { expect, onTestFinished, test } from 'vitest';
import { clockWithSpeed } from '../../support/system/clockWithSpeed.ts';
import { CANARY, published } from '../../support/system/outcome.ts';
import { startTestSystem, storeTokens } from '../../support/system/testSystem.ts';
import type { WiredSystem } from '../../support/system/virtualSystem.ts';
import { lastOn, poll, startWired } from '../../support/system/wired.ts';

const AUTH = 'heating2mqtt/bridge/auth';
const auth = (system: WiredSystem) => JSON.parse(lastOn(system, AUTH) ?? '{}');

test.each([
  ['a token straight after its renewal (401)', { kind: 'expired_token' }, 'access token that its identity service has just issued'],
  ['access (403)', { status: 403, body: { statusCode: 403, errorType: 'FORBIDDEN', message: 'No.' } }, 'platform.scope'],
])('while the platform refuses %s, bridge/auth is failing and says what to look at, and is ok again afterwards', async (_, fault, what) => {
  const system = await startWired();
  system.simulator.control({ command: 'fault', ...fault, match: { path: '/features' } });
  await poll(system);
  expect(auth(system)).toMatchObject({ state: 'failing', message: expect.stringContaining(what) });
  system.simulator.control({ command: 'clear' });
  await poll(system);
  expect(auth(system)).toMatchObject({ state: 'ok', message: 'Logged in.' });
});

test('one feature that is refused for hours (403) is no matter of the login, and is tried at once after a new login', async () => {
  const system = await startTestSystem({
    device: { features: ['heating.dhw', CANARY] },
    overrides: { platform: { read: 'feature' }, poll: { seconds: 0.2 } },
    prepare: (simulator) => void simulator.control({ command: 'fault', status: 403, body: {}, match: { path: 'heating.dhw$' } }),
  });
  onTestFinished(() => system.close());
  await published(system);
  expect(system.recorder.heard.filter(({ topic, payload }) => topic === AUTH && payload.includes('failing'))).toEqual([]);
  system.simulator.control({ command: 'clear' });
  await storeTokens(system.settings.data_dir, system.simulator);
  system.simulator.control({ command: 'expire_tokens' });
  await storeTokens(system.settings.data_dir, system.simulator);
  await system.recorder.untilTopic('heating2mqtt/home/heating/dhw/active', 'true');
});

test('a login of another program is taken up within a minute, also where the one before still counts', async () => {
  const { clock, setSpeed } = clockWithSpeed();
  const system = await startTestSystem({ clock });
  onTestFinished(() => system.close());
  await published(system);
  const { consent_expires_at: before } = JSON.parse(system.recorder.last(AUTH) ?? '{}');
  await storeTokens(system.settings.data_dir, system.simulator);
  setSpeed(60);
  await system.recorder.until(({ topic, payload }) => topic === AUTH && JSON.parse(payload).consent_expires_at > before);
});
