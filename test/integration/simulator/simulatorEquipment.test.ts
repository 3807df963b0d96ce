import { describe, expect, test } from 'vitest';
import { at, type Caller, startCaller } from './simulatorCaller.ts';

const LIST = '/iot/v2/equipment/installations';
const FEATURES = '/iot/v2/features/installations/111222';
const FIRST = '7571381699991111';
const SECOND = '7571381699991112';
const CURVE = 'heating.circuits.0.heating.curve';

const ids = (data: unknown, key: string): readonly unknown[] => (Array.isArray(data) ? data.map((member) => at(member, key)) : []);
const v2 = (gateway: string, rest: string): string => `${FEATURES}/gateways/${gateway}${rest}`;

describe('equipment', () => {
  test('one of each: an installation, a gateway, a device, and the state of a gateway', async () => {
    const { get } = await startCaller();
    expect(at((await get(`${LIST}/111222`)).body, 'data')).toEqual({ id: 111222, description: 'Simulated home', accessLevel: 'Owner' });
    expect(at((await get(`${LIST}/111222?includeGateways=true`)).body, 'data.gateways')).toHaveLength(1);
    expect(at((await get(`${LIST}/111222/gateways/${FIRST}`)).body, 'data.serial')).toBe(FIRST);
    expect((await get(`${LIST}/111222/gateways/${FIRST}/status`)).body).toEqual({
      data: { serial: FIRST, aggregatedStatus: 'WorksProperly' },
    });
    expect((await get(`${LIST}/111222/gateways/${FIRST}/devices/RoomControl-1`)).body).toMatchObject({
      data: { id: 'RoomControl-1', modelId: 'Demo_RoomControl', deviceType: 'roomControl', gatewaySerial: FIRST, status: 'Online' },
    });
  });

  test.each([
    [`${LIST}/5`, 'INSTALLATION_NOT_FOUND'],
    [`${LIST}/5/gateways`, 'INSTALLATION_NOT_FOUND'],
    [`${LIST}/111222/gateways/5/status`, 'GATEWAY_NOT_FOUND'],
    [`${LIST}/111222/gateways/5/devices`, 'GATEWAY_NOT_FOUND'],
    [`${LIST}/111222/gateways/${FIRST}/devices/5`, 'DEVICE_NOT_FOUND'],
    [`${LIST}/111222/nothing`, 'ENDPOINT_NOT_FOUND'],
  ])('%s is not there: %s', async (path, errorType) => {
    const { get } = await startCaller();
    expect((await get(path)).body).toMatchObject({ statusCode: 404, errorType, extendedPayload: { reason: errorType } });
  });

  test('every list comes page by page, and the last page has no next one', async () => {
    const { get } = await startCaller({ furtherGateways: 2 });
    for (const [list, key] of [
      [`${LIST}/111222/gateways`, 'serial'],
      ['/iot/v2/equipment/gateways', 'serial'],
      [`${LIST}/111222/gateways/${FIRST}/devices`, 'id'],
    ] as const) {
      const whole = ids(at((await get(list)).body, 'data'), key);
      expect(whole).toHaveLength(3);
      const first = (await get(`${list}?limit=2`)).body;
      const last = (await get(`${list}?limit=2&cursor=${at(first, 'cursor.next')}`)).body;
      expect([...ids(at(first, 'data'), key), ...ids(at(last, 'data'), key)]).toEqual(whole);
      expect(at(last, 'cursor')).toEqual({});
      expect(at((await get(`${list}?limit=3`)).body, 'cursor')).toEqual({});
      for (const wrong of ['limit=0', 'limit=1001', 'limit=two', 'cursor=x', 'cursor=-1']) {
        expect((await get(`${list}?${wrong}`)).body).toMatchObject({ statusCode: 400, errorType: 'VALIDATION_ERROR' });
      }
    }
  });

  test('a gateway takes the order to restart', async () => {
    const { get, post } = await startCaller();
    const seen = await post(`${LIST}/111222/gateways/${FIRST}/reboot`, {});
    expect([seen.status, at(seen.body, 'data.success')]).toEqual([202, true]);
    expect((await get(`${LIST}/111222/gateways/${FIRST}/reboot`)).body).toMatchObject({ errorType: 'NOT_ALLOWED' });
  });

  test('installations with and without gateways; nested lists are those of their own addresses', async () => {
    const { get } = await startCaller();
    expect((await get(LIST)).body).toMatchObject({ data: [{ id: 111222, description: 'Simulated home', accessLevel: 'Owner' }] });
    const gateways = at((await get(`${LIST}?includeGateways=true`)).body, 'data.0.gateways');
    expect(at((await get(`${LIST}/111222/gateways`)).body, 'data')).toEqual(gateways);
    const devices = at((await get(`${LIST}/111222/gateways/${FIRST}/devices/`)).body, 'data');
    expect(devices).toEqual(at(gateways, '0.devices'));
    expect(ids(devices, 'id')).toEqual(['gateway', '0', 'RoomControl-1']);
  });

  test('v1 can be retired: its paths answer 410 with their replacement, v2 goes on', async () => {
    const { get, path, control } = await startCaller({ v1Retired: true });
    for (const [v1, replacement] of [
      ['/iot/v1/equipment/installations', 'GET /iot/v2/equipment/installations'],
      [path('0'), expect.stringMatching(/^GET \/iot\/v2\/features\//)],
    ] as const) {
      expect((await get(v1)).body).toMatchObject({ statusCode: 410, errorType: 'GONE', extendedPayload: { replacement } });
    }
    expect((await get(v2(FIRST, '/devices/0/features'))).status).toBe(200);
    control({ command: 'retire_v1', on: false });
    expect((await get(path('0'))).status).toBe(200);
  });
});

describe('further gateways', () => {
  const setCurve = (caller: Caller, gateway: string, shift: number) =>
    caller.post(v2(gateway, `/devices/0/features/${CURVE}/commands/setCurve`), { shift, slope: 1 });
  const shift = async (caller: Caller, gateway: string) =>
    at((await caller.get(v2(gateway, `/devices/0/features/${CURVE}`))).body, 'properties.shift.value');

  test('each has a house of its own, and records that name it', async () => {
    const caller = await startCaller({ furtherGateways: 1 });
    expect(caller.gateways).toEqual([FIRST, SECOND]);
    await setCurve(caller, SECOND, 7);
    expect([await shift(caller, FIRST), await shift(caller, SECOND)]).toEqual([0, 7]);
    caller.control({ command: 'set', gateway: SECOND, feature: CURVE, property: 'shift', value: 3 });
    expect([await shift(caller, FIRST), await shift(caller, SECOND)]).toEqual([0, 3]);
    expect(at((await caller.get(v2(SECOND, `/devices/0/features/${CURVE}`))).body, 'gatewayId')).toBe(SECOND);
    expect(() => caller.control({ command: 'set', gateway: '5', feature: CURVE, value: 3 })).toThrow(
      `gateway must be one of ${FIRST}, ${SECOND}.`,
    );
  });

  test('one off the net answers GATEWAY_OFFLINE and is shown so; the one beside it goes on', async () => {
    const caller = await startCaller({ furtherGateways: 1 });
    caller.control({ command: 'disconnect', gateway: SECOND });
    for (const path of ['/features', '/features?includeDevicesFeatures=true', '/devices/0/features', `/devices/0/features/${CURVE}`]) {
      expect((await caller.get(v2(SECOND, path))).body).toMatchObject({
        statusCode: 400,
        errorType: 'DEVICE_COMMUNICATION_ERROR',
        extendedPayload: { httpStatusCode: 'NotFound', code: '404', reason: 'GATEWAY_OFFLINE' },
      });
      expect((await caller.get(v2(FIRST, path))).status).toBe(200);
    }
    expect(at((await setCurve(caller, SECOND, 7)).body, 'extendedPayload.reason')).toBe('GATEWAY_OFFLINE');
    const statuses = ids(at((await caller.get(`${LIST}/111222/gateways`)).body, 'data'), 'aggregatedStatus');
    expect(statuses).toEqual(['WorksProperly', 'Offline']);
    const devices = at((await caller.get(`${LIST}/111222/gateways/${SECOND}/devices`)).body, 'data');
    expect(new Set(ids(devices, 'status'))).toEqual(new Set(['Offline']));
    const all = at((await caller.get(`${FEATURES}/features?includeDevicesFeatures=true`)).body, 'data');
    expect(new Set(ids(all, 'gatewayId'))).toEqual(new Set([FIRST]));
    caller.control({ command: 'connect', gateway: SECOND });
    expect(await shift(caller, SECOND)).toBe(0);
  });

  test('a device off the net answers DEVICE_OFFLINE, the others go on', async () => {
    const caller = await startCaller();
    caller.control({ command: 'disconnect', device: 'RoomControl-1' });
    const refused = await caller.get(v2(FIRST, '/devices/RoomControl-1/features'));
    expect(at(refused.body, 'extendedPayload.reason')).toBe('DEVICE_OFFLINE');
    expect((await caller.get(v2(FIRST, '/devices/0/features'))).status).toBe(200);
    const devices = at((await caller.get(`${LIST}/111222/gateways/${FIRST}/devices`)).body, 'data');
    expect(ids(devices, 'status')).toEqual(['Online', 'Online', 'Offline']);
    expect(() => caller.control({ command: 'disconnect', device: 'x' })).toThrow('There is no device x.');
  });
});
