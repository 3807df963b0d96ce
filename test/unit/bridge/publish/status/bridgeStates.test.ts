import { expect, test } from 'vitest';
import { BRIDGE_STATES, type BridgeStatus, partStates } from '../../../../../src/bridge/publish/status/bridgeStates.ts';

const WELL: BridgeStatus = {
  broker: true,
  stalled_s: 0,
  platform: true,
  running_s: 3600,
  poll_seconds: 60,
  last_success_s: 10,
  auth: 'ok',
  auth_message: 'Logged in.',
};

test.each<[differs: Partial<BridgeStatus>, states: object]>([
  [{}, { broker: 'well', platform: 'well', login: 'well' }],
  [{ auth: 'refreshing' }, { login: 'well' }],
  [{ broker: false, running_s: 3 }, { broker: 'starting' }],
  [{ broker: false }, { broker: 'broker_away' }],
  [{ unread: true }, { broker: 'broker_unread' }],
  [{ unread: true, broker: false }, { broker: 'broker_away' }],
  // A packet may be late, and so may a step of a machine that is busy.
  [{ stalled_s: 170 }, { broker: 'well' }],
  [{ stalled_s: 190 }, { broker: 'stuck' }],
  [{ stalled_s: 190, broker: false, running_s: 190 }, { broker: 'stuck' }],
  [{ platform: false }, { platform: 'platform_away' }],
  [{ platform: false, problem_code: 'unreachable' }, { platform: 'platform_away' }],
  [{ platform: false, problem_code: 'device_offline' }, { platform: 'gateway_offline' }],
  [{ platform: false, problem_code: 'forbidden' }, { platform: 'refused' }],
  [{ platform: false, problem_code: 'of a later version' }, { platform: 'platform_away' }],
  // While reads work now and then, what failed last is no state.
  [{ problem_code: 'device_offline' }, { platform: 'well' }],
  [{ waits: true, platform: true }, { platform: 'quota_used_up' }],
  [
    { platform: false, auth: 'login_needed', problem_code: 'login_needed' },
    { platform: 'login_needed', login: 'login_needed' },
  ],
  [{ auth: 'failing', problem_code: 'identity_unavailable' }, { login: 'platform_away' }],
  [{ auth: 'failing' }, { login: 'platform_away' }],
  [{ auth: 'failing', problem_code: 'token_expired' }, { login: 'refused' }],
])('the state of each part: %j: %j', (differs, states) => {
  expect(partStates({ ...WELL, ...differs })).toMatchObject(states);
});

test('only what a new start mends is unhealthy', () => {
  const unhealthy = Object.entries(BRIDGE_STATES).flatMap(([state, { health }]) => (health === 1 ? [state] : []));
  expect(unhealthy).toEqual(['stuck']);
});
