import { expect, test } from 'vitest';
import { route } from '../../../src/simulator/routes.ts';

const BASE = '/iot/v1/equipment/installations/1/gateways/g';

test.each([
  ['/idp/v2/authorize', { to: 'authorize' }],
  ['/idp/v2/token', { to: 'token' }],
  ['/users/v1/users/me', { to: 'user' }],
  ['/control', { to: 'control' }],
  ['/control/calls', { to: 'calls' }],
  [`${BASE}/features`, { to: 'equipment', place: { installation: '1', gateway: 'g' } }],
  [`${BASE}/features/`, { to: 'equipment', place: { installation: '1', gateway: 'g' } }],
  [`${BASE}/features/a.b`, { to: 'equipment', place: { installation: '1', gateway: 'g', feature: 'a.b' } }],
  [`${BASE}/devices/d%20x/features`, { to: 'equipment', place: { installation: '1', gateway: 'g', device: 'd x' } }],
  [
    `${BASE}/devices/d/features/a.b/commands/set`,
    { to: 'equipment', place: { installation: '1', gateway: 'g', device: 'd', feature: 'a.b', command: 'set' } },
  ],
  [
    '/iot/v1/gateways/g/devices/d/features/a.b/commands/set',
    { to: 'equipment', place: { gateway: 'g', device: 'd', feature: 'a.b', command: 'set' } },
  ],
  ['/iot/v1/gateways/g/features/a.b', { to: 'equipment', place: { gateway: 'g', feature: 'a.b' } }],
  ['/iot/v1/gateways/g/devices/d/features', { to: 'unknown', api: true }],
  [`${BASE}/devices/d/features/a.b/`, { to: 'unknown', api: true }],
  [`${BASE}/devices/%/features/a.b`, { to: 'unknown', api: true }],
  [`${BASE}/devices//features/a.b`, { to: 'unknown', api: true }],
  ['/iot/v2/features/installations/1/gateways/g/features', { to: 'equipment', place: { installation: '1', gateway: 'g' } }],
  ['/iot/v2/features/installations/1/gateways/g/features/', { to: 'equipment', place: { installation: '1', gateway: 'g' } }],
  [
    '/iot/v2/features/installations/1/gateways/g/devices/d/features/a.b/commands/set',
    { to: 'equipment', place: { installation: '1', gateway: 'g', device: 'd', feature: 'a.b', command: 'set' } },
  ],
  ['/iot/v2/equipment/installations', { to: 'listing' }],
  ['/iot/v2/equipment/installations/1/gateways', { to: 'listing', installation: '1' }],
  ['/iot/v2/equipment/installations/1/gateways/g/devices', { to: 'listing', installation: '1', gateway: 'g' }],
  ['/iot/v2/equipment/installations/1', { to: 'unknown', api: true }],
  ['/idp/v3/authorize', { to: 'authorize' }],
  ['/idp/v3/token', { to: 'token' }],
  ['/idp/v4/token', { to: 'unknown', api: false }],
  ['constructor', { to: 'unknown', api: false }],
  ['', { to: 'unknown', api: false }],
])('%s', (path, target) => {
  expect(route(path)).toEqual(target);
});
