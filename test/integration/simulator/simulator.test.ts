import { describe, expect, test } from 'vitest';
import { at, membersOf, startCaller } from './simulatorCaller.ts';

const SCHEDULE = 'heating.circuits.0.heating.schedule';
const CURVE = 'heating.circuits.0.heating.curve';
const LIST = '/iot/v2/equipment/installations';
const INSTALLATION = '/iot/v2/features/installations/111222';
const [FIRST, SECOND] = ['7571381699991111', '7571381699991112'];
const GATEWAY = `${INSTALLATION}/gateways/${FIRST}`;

test.each([
  ['none', {}, 'NO TOKEN AVAILABLE'],
  ['another scheme', { authorization: 'Basic abc' }, 'NO TOKEN AVAILABLE'],
  ['an unknown one', { authorization: 'Bearer abc' }, 'EXPIRED TOKEN'],
])('of tokens, %s is refused before the address is looked at', async (_what, headers, error) => {
  const { send, path } = await startCaller();
  const viErrorId = expect.stringMatching(/^req-[0-9a-f]{32}$/);
  for (const where of [path('0', SCHEDULE), LIST, '/iot/v9/anything'])
    expect((await send(where, { headers })).body).toMatchObject({ statusCode: 401, errorType: 'UNAUTHORIZED', error, viErrorId });
});

describe('features', () => {
  test('one is a record with every field of the specification, at its relative address too; wrapped when asked for', async () => {
    const { get, path, control, gateway } = await startCaller();
    const { body } = await get(path('0', SCHEDULE));
    const uri = `/v1/gateways/${gateway}/devices/0/features/${SCHEDULE}`;
    expect(body).toMatchObject({
      ...{ feature: SCHEDULE, gatewayId: gateway, deviceId: '0', apiVersion: 1, isEnabled: true, isReady: true, uri },
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      properties: { active: { type: 'boolean', value: true }, entries: { type: 'Schedule' } },
      commands: { setSchedule: { name: 'setSchedule', isExecutable: true, uri: `${uri}/commands/setSchedule` } },
    });
    expect((await get(`/iot${at(body, 'uri')}`)).body).toEqual(body);
    control({ command: 'wrapped', on: true });
    expect(at((await get(path('0', SCHEDULE))).body, 'data.feature')).toBe(SCHEDULE);
  });

  test('the list of a device holds disabled ones too; those of gateway and installation add their devices when asked', async () => {
    const { get, path } = await startCaller({ furtherGateways: 1 });
    const records = membersOf((await get(path('0'))).body);
    const disabled = records.filter((record) => at(record, 'isEnabled') === false);
    expect([records.length, disabled.length]).toEqual([145, 62]);
    for (const record of disabled) expect([at(record, 'properties'), at(record, 'commands')]).toEqual([{}, {}]);
    expect(membersOf((await get(path())).body, 'feature')).toEqual(['gateway.devices', 'gateway.wifi']);
    expect(membersOf((await get(`${path()}?includeDevicesFeatures=true`)).body)).toHaveLength(104);
    const all = membersOf((await get(`${INSTALLATION}/features?includeDevicesFeatures=true`)).body, 'gatewayId');
    expect([...new Set(all)]).toEqual([FIRST, SECOND]);
    expect(membersOf((await get(`${path('0')}?skipDisabled=true`)).body)).toHaveLength(145 - 62);
  });
});

test('lists of equipment come page by page, and the last page has no next one', async () => {
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

test.each([
  [`${LIST}/5/gateways`, 'INSTALLATION_NOT_FOUND'],
  [`${LIST}/111222/gateways/5/devices`, 'GATEWAY_NOT_FOUND'],
  [`${GATEWAY}/devices/constructor/features`, 'DEVICE_NOT_FOUND'],
  [`${GATEWAY}/devices/0/features/nothing`, 'FEATURE_NOT_FOUND'],
  [`${LIST}/111222/nothing`, 'ENDPOINT_NOT_FOUND'],
])('%s is not there: %s', async (path, errorType) => {
  const { get } = await startCaller();
  expect((await get(path)).body).toMatchObject({ statusCode: 404, errorType });
});

test('a wrong method is 400, a body over the limit 413, and no address is a defect', async () => {
  const { get, post, path } = await startCaller();
  const seen = [await post(path('0'), {}), await post(LIST, {}), await get(path('0', SCHEDULE, 'setSchedule'))];
  for (const { body } of seen) expect(body).toMatchObject({ statusCode: 400, errorType: 'NOT_ALLOWED' });
  const large = await post(path('0', SCHEDULE, 'setSchedule'), 'x'.repeat(1_100_000));
  expect(large.body).toMatchObject({ errorType: 'REQUEST_TOO_LARGE' });
  for (const where of ['/%', `${GATEWAY}/devices/%E0%A4%A/features`, '//', `${GATEWAY}/devices/0/features/%00`])
    for (const { status } of [await get(where), await post(where, '['.repeat(50_000))]) expect([400, 403, 404]).toContain(status);
});

describe('control', () => {
  test('counts the calls, and refuses with a sentence what it cannot take', async () => {
    const { get, send, path, calls } = await startCaller();
    for (const where of [path('0', SCHEDULE), path(), path()]) await get(where);
    const counts = { [`GET ${path('0', SCHEDULE)}`]: 1, [`GET ${path()}`]: 2 };
    expect((await send('/control/calls', {})).body).toEqual({ total: 3, counts });
    expect((await send('/control', { method: 'POST', body: '{"command":"reset"}' })).status).toBe(200);
    expect(calls()).toEqual([]);
    for (const body of ['{"command":"dance"}', 'nonsense', '{}', '{"command":"set","feature":"no.such","value":1}', '{"command":"lag"}']) {
      const seen = await send('/control', { method: 'POST', body });
      expect([seen.status, at(seen.body, 'error')]).toEqual([400, expect.stringMatching(/\.$/)]);
    }
  });

  test('a further gateway has a house of its own; one off the net, or a device, is shown so, and those beside go on', async () => {
    const { get, control } = await startCaller({ furtherGateways: 1 });
    const curve = (gateway: string) => get(`${INSTALLATION}/gateways/${gateway}/devices/0/features/${CURVE}`);
    const reason = (body: unknown) => at(body, 'extendedPayload.reason');
    control({ command: 'set', gateway: SECOND, feature: CURVE, property: 'shift', value: 3 });
    for (const [gateway, shift] of [[FIRST, 0] as const, [SECOND, 3] as const])
      expect(at((await curve(gateway)).body, 'properties.shift.value')).toBe(shift);
    expect(() => control({ command: 'set', gateway: '5', feature: CURVE, value: 3 })).toThrow(`one of ${FIRST}, ${SECOND}.`);
    control({ command: 'disconnect', gateway: SECOND });
    control({ command: 'disconnect', device: 'RoomControl-1' });
    expect(reason((await curve(SECOND)).body)).toBe('GATEWAY_OFFLINE');
    expect(reason((await get(`${GATEWAY}/devices/RoomControl-1/features`)).body)).toBe('DEVICE_OFFLINE');
    expect((await curve(FIRST)).status).toBe(200);
    expect(membersOf((await get(`${LIST}/111222/gateways`)).body, 'aggregatedStatus')).toEqual(['WorksProperly', 'Offline']);
    const devices = (await get(`${LIST}/111222/gateways/${FIRST}/devices`)).body;
    expect(membersOf(devices, 'status')).toEqual(['Online', 'Online', 'Offline']);
    control({ command: 'connect', gateway: SECOND });
    expect((await curve(SECOND)).status).toBe(200);
  });

  test('a value is set and held, a sensor pulled out and put in, until the house lives again', async () => {
    let now = Date.UTC(2026, 10, 21, 12);
    const { control, values } = await startCaller({ now: () => now });
    const outside = 'heating.sensors.temperature.outside';
    control({ command: 'remove_value', feature: outside });
    expect(await values(outside)).toEqual({ status: 'notConnected', value: undefined });
    control({ command: 'set', feature: outside, value: -17.5 });
    now += 1_800_000;
    expect(await values(outside)).toEqual({ status: 'connected', value: -17.5 });
    control({ command: 'live', on: true });
    now += 60_000;
    expect(await values(outside)).not.toEqual({ status: 'connected', value: -17.5 });
  });

  test('a feature and a device disappear, come back, and a feature is disabled', async () => {
    const { get, path, control } = await startCaller();
    const read = async () => (await get(path('0', CURVE))).body;
    control({ command: 'remove_feature', feature: CURVE, device: '0' });
    expect(await read()).toMatchObject({ errorType: 'FEATURE_NOT_FOUND' });
    control({ command: 'restore_feature', feature: CURVE });
    expect(await read()).toMatchObject({ properties: { shift: { value: 0 } } });
    control({ command: 'remove_device', device: '0' });
    expect(await read()).toMatchObject({ errorType: 'DEVICE_NOT_FOUND' });
    control({ command: 'restore_device', device: '0' });
    control({ command: 'disable_feature', feature: CURVE });
    expect(await read()).toMatchObject({ isEnabled: false, properties: {}, commands: {} });
  });
});
