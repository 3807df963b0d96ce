import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../support/chance.ts';
import { startCaller } from './simulatorCaller.ts';

const BASE = '/iot/v1/equipment/installations/111222/gateways/7571381699991111';

const V2 = BASE.replace('v1/equipment', 'v2/features');

const path = fc.oneof(
  fc.constantFrom(
    '/idp/v2/authorize',
    '/idp/v2/token',
    '/users/v1/users/me?sections=identity',
    '/control',
    '/control/calls',
    `${BASE}/features`,
    '/iot/v2/equipment/installations/111222/gateways/7571381699991111/devices',
    '/iot/v2/features/installations/111222/features/filter?includeDevicesFeatures=true',
    `${V2}/devices/0/features/filter`,
    '/iot/v2/events-history/installations/111222/events',
    `${BASE}/devices/0/features/heating.circuits.0.heating.curve/commands/setCurve`,
    `${BASE}/devices/0/features/heating.circuits.0.heating.schedule/commands/setSchedule`,
    `${BASE}/devices/RoomControl-1/features/rooms/commands/add`,
    `${BASE}/devices/RoomControl-1/features/rooms.0/commands/moveActor`,
  ),
  fc.array(fc.webSegment(), { maxLength: 8 }).map((segments) => `/${segments.join('/')}`),
  fc.array(fc.webSegment(), { maxLength: 3 }).map((segments) => `${BASE}/devices/${segments.join('/')}`),
  fc.webQueryParameters().map((query) => `/idp/v2/authorize?${query}`),
  fc
    .tuple(
      fc.constantFrom(`${V2}/features`, '/iot/v2/equipment/installations', '/iot/v2/events-history/installations/111222/events'),
      fc.constantFrom('filter', 'regex', 'skipDisabled', 'limit', 'cursor', 'lastNDays', 'start'),
      fc.string(),
    )
    .map(([list, name, value]) => `${list}?${name}=${encodeURIComponent(value)}`),
  fc.constantFrom('/%', '/iot/%ff', `${BASE}/devices/%E0%A4%A/features`, '//', '/?', `${BASE}/devices/0/features/%00`),
);

const key = fc.constantFrom(
  'newSchedule',
  'filter',
  'regex',
  'skipDisabled',
  'mon',
  'sun',
  'shift',
  'slope',
  'name',
  'type',
  'command',
  'feature',
  'value',
  '__proto__',
  'kind',
  'match',
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue({ maxDepth: 2 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5 }),
    fc.array(tie('value'), { maxLength: 5 }),
  ),
})).value;
const schedule = fc.record({
  newSchedule: fc.dictionary(
    fc.constantFrom('mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun', 'x'),
    fc.array(
      fc.dictionary(
        fc.constantFrom('start', 'end', 'mode', 'position'),
        fc.oneof(fc.constantFrom('06:00', '24:00', 'normal'), fc.jsonValue()),
      ),
    ),
  ),
});
const body = fc.oneof(
  json.map((value) => JSON.stringify(value)),
  schedule.map((value) => JSON.stringify(value)),
  fc.string(),
  fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('latin1')),
  fc.constant('['.repeat(50_000)),
  fc.constant(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`),
);

test('whatever is sent, there is an answer, and never a defect of the simulator’s own', async () => {
  const caller = await startCaller();
  const { access_token } = caller.issueTokens();
  const types = fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/plain', '');
  await fc.assert(
    fc.asyncProperty(
      path,
      fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'),
      body,
      types,
      async (where, method, sent, type) => {
        const seen = await caller.send(where, {
          method,
          headers: { authorization: `Bearer ${access_token}`, ...(type === '' ? {} : { 'content-type': type }) },
          ...(method === 'GET' ? {} : { body: sent }),
        });
        expect(seen.text).not.toContain('SIMULATOR_DEFECT');
        expect([200, 202, 302, 400, 403, 404]).toContain(seen.status);
      },
    ),
    { numRuns: runs(400) },
  );
  expect((await caller.get(caller.path('0'))).status).toBe(200);
});
