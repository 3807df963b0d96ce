import { describe, expect, test } from 'vitest';
import { at, type Caller, membersOf, startCaller } from './simulatorCaller.ts';

const SCHEDULE = 'heating.circuits.0.heating.schedule';
const CURVE = 'heating.circuits.0.heating.curve';
const LIST = '/iot/v2/equipment/installations';
const INSTALLATION = '/iot/v2/features/installations/111222';
const [FIRST, SECOND] = ['7571381699991111', '7571381699991112'];
const GATEWAY = `${INSTALLATION}/gateways/${FIRST}`;
const EVENTS = '/iot/v2/events-history/installations/111222/events';
const DAY_MS = 86_400_000;

describe('tokens at the API', () => {
  test.each([
    ['none', {}, 'NO TOKEN AVAILABLE'],
    ['another scheme', { authorization: 'Basic abc' }, 'NO TOKEN AVAILABLE'],
    ['an unknown one', { authorization: 'Bearer abc' }, 'EXPIRED TOKEN'],
  ])('%s is refused with the platform’s envelope, before the address is looked at', async (_what, headers, error) => {
    const { send, path } = await startCaller();
    for (const where of [path('0', SCHEDULE), EVENTS, '/iot/v9/anything'])
      expect((await send(where, { headers })).body).toMatchObject({
        statusCode: 401,
        errorType: 'UNAUTHORIZED',
        error,
        viErrorId: expect.stringMatching(/^req-[0-9a-f]{32}$/),
      });
  });

  test('one ends after its hour, and needs the scope of the service', async () => {
    let now = 1_000_000;
    const { get, path, issueTokens } = await startCaller({ now: () => now });
    const headers = { authorization: `Bearer ${issueTokens('IoT').access_token}` };
    expect((await get('/users/v1/users/me?sections=identity', headers)).body).toMatchObject({ statusCode: 403, errorType: 'UNAUTHORIZED' });
    now += 3_599_999;
    expect((await get(path('0', SCHEDULE))).status).toBe(200);
    now += 1;
    expect((await get(path('0', SCHEDULE))).body).toMatchObject({ error: 'EXPIRED TOKEN' });
  });
});

test('the user is shown with sections=identity', async () => {
  const { get } = await startCaller();
  const { status, type, body } = await get('/users/v1/users/me?sections=identity');
  expect([status, type]).toEqual([200, 'application/json;charset=utf-8']);
  expect(at(body, 'properties')).toMatchObject({ loginId: expect.any(String), name: { firstName: expect.any(String) } });
  expect(at((await get('/users/v1/users/me')).body, 'properties')).toBeUndefined();
});

describe('features', () => {
  test('one is a bare record with every field of the specification, at its relative address too; wrapped when asked for', async () => {
    const { get, path, control, gateway } = await startCaller();
    const { status, type, headers, body } = await get(path('0', SCHEDULE));
    const uri = `/v1/gateways/${gateway}/devices/0/features/${SCHEDULE}`;
    expect([status, type, headers.has('date')]).toEqual([200, 'application/json;charset=utf-8', true]);
    const head = { feature: SCHEDULE, gatewayId: gateway, deviceId: '0', apiVersion: 1, isEnabled: true, isReady: true, uri };
    expect(body).toMatchObject({
      ...head,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      properties: { active: { type: 'boolean', value: true }, entries: { type: 'Schedule' } },
    });
    const constraints = { maxEntries: 4, resolution: 10, modes: ['normal', 'comfort'], defaultMode: 'reduced', overlapAllowed: false };
    expect(at(body, 'commands.setSchedule')).toEqual({
      name: 'setSchedule',
      isExecutable: true,
      description: expect.any(String),
      uri: `${uri}/commands/setSchedule`,
      params: { newSchedule: { type: 'Schedule', required: true, constraints } },
    });
    expect((await get(`/iot${at(body, 'uri')}`)).body).toEqual(body);
    control({ command: 'wrapped', on: true });
    expect(at((await get(path('0', SCHEDULE))).body, 'data.feature')).toBe(SCHEDULE);
  });

  test('the list of a device holds disabled ones too; those of gateway and installation add their devices when asked', async () => {
    const { get, path } = await startCaller({ furtherGateways: 1 });
    const records = membersOf((await get(path('0'))).body);
    const disabled = records.filter((record) => at(record, 'isEnabled') === false);
    expect([records.length, disabled.length]).toEqual([143, 62]);
    for (const record of disabled) expect([at(record, 'properties'), at(record, 'commands')]).toEqual([{}, {}]);
    expect(membersOf((await get(path())).body, 'feature')).toEqual(['gateway.devices', 'gateway.wifi']);
    expect(membersOf((await get(`${GATEWAY}/devices/gateway/features`)).body, 'feature')).toEqual(['gateway.devices', 'gateway.wifi']);
    const all = await get(`${path()}?includeDevicesFeatures=true`);
    expect([membersOf(all.body).length, all.text.includes('"isEnabled":false')]).toEqual([102, false]);
    expect((await get(`${INSTALLATION}/features/`)).body).toEqual({ data: [] });
    const water = `${INSTALLATION}/features?includeDevicesFeatures=true&filter=heating.dhw`;
    expect(membersOf((await get(water)).body, 'gatewayId')).toEqual([FIRST, SECOND]);
  });

  test.each<[query: string, body: object]>([
    ['filter=heating.circuits.N.name', { filter: ['heating.circuits.N.name'] }],
    ['filter=heating.circuits.0.name&filter=heating.circuits.1.name', { filter: 'heating.circuits.*name' }],
    ['regex=circuits%5C.%5Cd%5C.name%24', { regex: 'circuits\\.\\d\\.name$' }],
  ])('are chosen by %s or, by POST, %j', async (query, body) => {
    const { get, post } = await startCaller();
    const names = ['heating.circuits.0.name', 'heating.circuits.1.name'];
    expect(membersOf((await get(`${GATEWAY}/devices/0/features?skipDisabled=true&${query}`)).body, 'feature')).toEqual(names);
    const posted = await post(`${GATEWAY}/devices/0/features/filter`, { skipDisabled: true, ...body });
    expect(membersOf(posted.body, 'feature')).toEqual(names);
    for (const wrong of ['regex=%5B', 'skipDisabled=maybe', 'skipNotReady=1'])
      expect((await get(`${GATEWAY}/devices/0/features?${wrong}`)).body).toMatchObject({ errorType: 'VALIDATION_ERROR' });
  });
});

describe('equipment', () => {
  test('installations, gateways and devices, by themselves and in each other', async () => {
    const { get, post } = await startCaller();
    expect(at((await get(`${LIST}/111222`)).body, 'data')).toEqual({ id: 111222, description: 'Simulated home', accessLevel: 'Owner' });
    const gateways = at((await get(`${LIST}?includeGateways=true`)).body, 'data.0.gateways');
    expect(at((await get(`${LIST}/111222/gateways`)).body, 'data')).toEqual(gateways);
    const devices = await get(`${LIST}/111222/gateways/${FIRST}/devices/`);
    expect(at(devices.body, 'data')).toEqual(at(gateways, '0.devices'));
    expect(membersOf(devices.body, 'id')).toEqual(['gateway', '0', 'RoomControl-1']);
    expect((await get(`${LIST}/111222/gateways/${FIRST}/devices/RoomControl-1`)).body).toMatchObject({
      data: { id: 'RoomControl-1', modelId: 'Demo_RoomControl', deviceType: 'roomControl', gatewaySerial: FIRST, status: 'Online' },
    });
    const state = { data: { serial: FIRST, aggregatedStatus: 'WorksProperly' } };
    expect((await get(`${LIST}/111222/gateways/${FIRST}/status`)).body).toEqual(state);
    expect((await post(`${LIST}/111222/gateways/${FIRST}/reboot`, {})).status).toBe(202);
  });

  test('lists come page by page, and the last page has no next one', async () => {
    const { get } = await startCaller({ furtherGateways: 2 });
    for (const list of [`${LIST}/111222/gateways`, '/iot/v2/equipment/gateways', `${LIST}/111222/gateways/${FIRST}/devices`]) {
      const first = (await get(`${list}?limit=2`)).body;
      const last = (await get(`${list}?limit=2&cursor=${at(first, 'cursor.next')}`)).body;
      expect([...membersOf(first), ...membersOf(last)]).toEqual(membersOf((await get(list)).body));
      expect([membersOf(first).length, at(last, 'cursor')]).toEqual([2, {}]);
      for (const wrong of ['limit=0', 'limit=1001', 'cursor=x'])
        expect((await get(`${list}?${wrong}`)).body).toMatchObject({ statusCode: 400, errorType: 'VALIDATION_ERROR' });
    }
  });

  test('v1 can be retired: its paths answer 410 with their replacement, v2 goes on', async () => {
    const { get, path, control } = await startCaller({ v1Retired: true });
    const replacement = expect.stringMatching(/^GET \/iot\/v2\/features\//);
    expect((await get(path('0'))).body).toMatchObject({ statusCode: 410, errorType: 'GONE', extendedPayload: { replacement } });
    expect((await get(`${GATEWAY}/devices/0/features`)).status).toBe(200);
    control({ command: 'retire_v1', on: false });
    expect((await get(path('0'))).status).toBe(200);
  });
});

test.each([
  [`${LIST}/5`, 'INSTALLATION_NOT_FOUND'],
  [EVENTS.replace('111222', '5'), 'INSTALLATION_NOT_FOUND'],
  [`${LIST}/111222/gateways/5/status`, 'GATEWAY_NOT_FOUND'],
  [`${LIST}/111222/gateways/${FIRST}/devices/5`, 'DEVICE_NOT_FOUND'],
  [`${GATEWAY}/devices/constructor/features`, 'DEVICE_NOT_FOUND'],
  [`${GATEWAY}/devices/0/features/nothing`, 'FEATURE_NOT_FOUND'],
  [`${INSTALLATION}/features/heating.dhw`, 'FEATURE_NOT_FOUND'],
  [`${LIST}/111222/nothing`, 'ENDPOINT_NOT_FOUND'],
])('%s is not there: %s', async (path, errorType) => {
  const { get } = await startCaller();
  expect((await get(path)).body).toMatchObject({ statusCode: 404, errorType });
});

test('a wrong method is 400, a body over the limit 413, and no address is a defect', async () => {
  const { get, post, path } = await startCaller();
  const seen = [await post(path('0'), {}), await post(EVENTS, {}), await get(path('0', SCHEDULE, 'setSchedule'))];
  for (const { body } of seen) expect(body).toMatchObject({ statusCode: 400, errorType: 'NOT_ALLOWED' });
  const large = await post(path('0', SCHEDULE, 'setSchedule'), 'x'.repeat(1_100_000));
  expect(large.body).toMatchObject({ errorType: 'REQUEST_TOO_LARGE' });
  for (const where of ['/%', '/iot/%ff', `${GATEWAY}/devices/%E0%A4%A/features`, '//', '/?', `${GATEWAY}/devices/0/features/%00`])
    for (const { status } of [await get(where), await post(where, '['.repeat(50_000))]) expect([400, 403, 404]).toContain(status);
});

describe('further gateways', () => {
  const feature = (gateway: string, rest = ''): string => `${INSTALLATION}/gateways/${gateway}/devices/0/features/${CURVE}${rest}`;
  const shifts = async ({ get }: Caller): Promise<readonly unknown[]> =>
    Promise.all([FIRST, SECOND].map(async (gateway) => at((await get(feature(gateway))).body, 'properties.shift.value')));

  test('each has a house of its own, which /control reaches by its serial', async () => {
    const caller = await startCaller({ furtherGateways: 1 });
    await caller.post(feature(SECOND, '/commands/setCurve'), { shift: 7, slope: 1 });
    expect(await shifts(caller)).toEqual([0, 7]);
    caller.control({ command: 'set', gateway: SECOND, feature: CURVE, property: 'shift', value: 3 });
    expect(await shifts(caller)).toEqual([0, 3]);
    expect(() => caller.control({ command: 'set', gateway: '5', feature: CURVE, value: 3 })).toThrow(`one of ${FIRST}, ${SECOND}.`);
  });

  test('one off the net answers GATEWAY_OFFLINE and is shown so, a device DEVICE_OFFLINE; those beside go on', async () => {
    const { get, control } = await startCaller({ furtherGateways: 1 });
    control({ command: 'disconnect', gateway: SECOND });
    control({ command: 'disconnect', device: 'RoomControl-1' });
    const reason = async (path: string) => at((await get(path)).body, 'extendedPayload.reason');
    expect(await reason(feature(SECOND))).toBe('GATEWAY_OFFLINE');
    expect(await reason(`${GATEWAY}/devices/RoomControl-1/features`)).toBe('DEVICE_OFFLINE');
    expect((await get(feature(FIRST))).status).toBe(200);
    const statuses = membersOf((await get(`${LIST}/111222/gateways`)).body, 'aggregatedStatus');
    expect(statuses).toEqual(['WorksProperly', 'Offline']);
    const devices = (await get(`${LIST}/111222/gateways/${FIRST}/devices`)).body;
    expect(membersOf(devices, 'status')).toEqual(['Online', 'Online', 'Offline']);
    control({ command: 'connect', gateway: SECOND });
    expect((await get(feature(SECOND))).status).toBe(200);
  });
});

test('events: commands that were taken and gateways that went, newest first, page by page, chosen by days, time, kind and gateway', async () => {
  let now = Date.UTC(2026, 10, 21, 12);
  const { get, post, path, control } = await startCaller({ now: () => now, furtherGateways: 1, tokenLifetimeS: 1_000_000 });
  const setCurve = (shift: number) => post(path('0', CURVE, 'setCurve'), { shift, slope: 1 });
  await setCurve(1);
  await setCurve(1000);
  const commandBody = { shift: 1, slope: 1 };
  const body = { deviceId: '0', modelId: 'Demo_HeatPump_8kW', featureName: CURVE, commandName: 'setCurve', commandBody };
  const at0 = '2026-11-21T12:00:00.000Z';
  expect((await get(EVENTS)).body).toEqual({
    data: [{ eventType: 'feature-changed', gatewaySerial: FIRST, eventTimestamp: at0, createdAt: at0, body }],
    cursor: {},
  });
  now += 3 * DAY_MS;
  await setCurve(2);
  control({ command: 'disconnect', gateway: SECOND });
  const first = (await get(`${EVENTS}?limit=2`)).body;
  await setCurve(3);
  const last = (await get(`${EVENTS}?limit=2&cursor=${at(first, 'cursor.next')}`)).body;
  expect(membersOf(first, 'eventType')).toEqual(['gateway-offline', 'feature-changed']);
  expect([membersOf(last, 'body.commandBody.shift'), at(last, 'cursor')]).toEqual([[1], {}]);
  const chosen = { 'lastNDays=1': 3, [`end=${at0}`]: 1, 'eventType=gateway-offline': 1, [`gatewaySerial=${FIRST}`]: 3 };
  for (const [query, count] of Object.entries(chosen)) expect(membersOf((await get(`${EVENTS}?${query}`)).body), query).toHaveLength(count);
  for (const wrong of ['lastNDays=x', 'start=soon', 'limit=1001'])
    expect((await get(`${EVENTS}?${wrong}`)).body, wrong).toMatchObject({ statusCode: 400, errorType: 'VALIDATION_ERROR' });
});

test('/control takes commands and counts the calls, without a token; what it cannot take is refused with a sentence', async () => {
  const { get, send, path, control, calls } = await startCaller();
  for (const where of [path('0', SCHEDULE), path(), path()]) await get(where);
  const counted = { total: 3, counts: { [`GET ${path('0', SCHEDULE)}`]: 1, [`GET ${path()}`]: 2 } };
  expect((await send('/control/calls', {})).body).toEqual(counted);
  expect(control({ command: 'calls' })).toEqual(counted);
  expect((await send('/control', { method: 'POST', body: '{"command":"reset"}' })).status).toBe(200);
  expect(calls()).toEqual([]);
  for (const body of ['{"command":"dance"}', 'nonsense', '{}', '{"command":"set","feature":"no.such","value":1}', '{"command":"lag"}']) {
    const seen = await send('/control', { method: 'POST', body });
    expect([seen.status, at(seen.body, 'error')]).toEqual([400, expect.stringMatching(/\.$/)]);
  }
});
