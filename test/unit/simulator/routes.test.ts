import { expect, test } from 'vitest';
import { route } from '../../../src/simulator/http/routes.ts';

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
  ['/iot/v2/features/installations/1/features', { to: 'equipment', place: { installation: '1' } }],
  ['/iot/v2/features/installations/1/features/filter', { to: 'equipment', place: { installation: '1', feature: 'filter' } }],
  ['/iot/v2/equipment/installations', { to: 'listing', place: { what: 'installations' } }],
  ['/iot/v2/equipment/installations/1', { to: 'listing', place: { what: 'installation', installation: '1' } }],
  ['/iot/v2/equipment/gateways', { to: 'listing', place: { what: 'gateways' } }],
  ['/iot/v2/equipment/installations/1/gateways/', { to: 'listing', place: { what: 'gateways', installation: '1' } }],
  ['/iot/v2/equipment/installations/1/gateways/g', { to: 'listing', place: { what: 'gateway', installation: '1', gateway: 'g' } }],
  ['/iot/v2/equipment/installations/1/gateways/g/status', { to: 'listing', place: { what: 'status', installation: '1', gateway: 'g' } }],
  ['/iot/v2/equipment/installations/1/gateways/g/devices', { to: 'listing', place: { what: 'devices', installation: '1', gateway: 'g' } }],
  [
    '/iot/v2/equipment/installations/1/gateways/g/devices/d%2F',
    { to: 'listing', place: { what: 'device', installation: '1', gateway: 'g', device: 'd/' } },
  ],
  ['/iot/v2/equipment/installations/%/gateways', { to: 'unknown', api: true }],
  ['/iot/v2/events-history/installations/1/events', { to: 'events', installation: '1' }],
  ['/iot/v2/events-history/installations/%/events', { to: 'unknown', api: true }],
  ['/idp/v3/authorize', { to: 'authorize' }],
  ['/idp/v3/token', { to: 'token' }],
  ['/idp/v4/token', { to: 'unknown', api: false }],
  ['constructor', { to: 'unknown', api: false }],
  ['', { to: 'unknown', api: false }],
])('%s', (path, target) => {
  expect(route(path)).toEqual(target);
});
