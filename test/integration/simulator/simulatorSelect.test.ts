import { describe, expect, test } from 'vitest';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import { at, type Caller, startCaller } from './simulatorCaller.ts';

const INSTALLATION = '/iot/v2/features/installations/111222';
const GATEWAY = `${INSTALLATION}/gateways/7571381699991111`;
const DEVICE = `${GATEWAY}/devices/0`;

const names = (body: unknown): readonly unknown[] => {
  const data = at(body, 'data');
  return Array.isArray(data) ? data.map((record) => at(record, 'feature')) : [];
};

const NAMES = ['heating.circuits.0.name', 'heating.circuits.1.name'];

describe('which features of a list are wanted', () => {
  test.each<[string, object]>([
    ['filter=heating.circuits.N.name', { filter: ['heating.circuits.N.name'] }],
    ['filter=heating.circuits.0.name,heating.circuits.1.name', { filter: NAMES }],
    [`filter=${NAMES[0]}&filter=${NAMES[1]}`, { filter: 'heating.circuits.*name' }],
    ['regex=circuits%5C.%5Cd%5C.name%24', { regex: 'circuits\\.\\d\\.name$' }],
  ])('%s or, by POST, %j', async (query, body) => {
    const { get, post } = await startCaller();
    expect(names((await get(`${DEVICE}/features?skipDisabled=true&${query}`)).body)).toEqual(NAMES);
    expect(names((await post(`${DEVICE}/features/filter`, { skipDisabled: true, ...body })).body)).toEqual(NAMES);
  });

  test('a dot is a dot, N only a number, and what is not there gives an empty list', async () => {
    const { get } = await startCaller();
    for (const filter of ['heating?circuits.0.name', 'heating.circuits.N', 'N.circuits.0.name', 'heatingXcircuits.0.name', 'nothing'])
      expect(names((await get(`${DEVICE}/features?filter=${filter}`)).body), filter).toEqual(
        filter === 'heating.circuits.N' ? ['heating.circuits.0', 'heating.circuits.1', 'heating.circuits.2', 'heating.circuits.3'] : [],
      );
  });

  test('disabled ones and those not ready can be left out, in both ways', async () => {
    const home = { ...defaultHome, devices: { 0: { features: { a: {}, b: { isReady: false }, c: { isEnabled: false } } } } };
    const { get, post } = await startCaller({ home });
    expect(names((await get(`${DEVICE}/features`)).body)).toEqual(['a', 'b', 'c']);
    expect(names((await get(`${DEVICE}/features?skipDisabled=true`)).body)).toEqual(['a', 'b']);
    expect(names((await get(`${DEVICE}/features?skipNotReady=true&skipDisabled=false`)).body)).toEqual(['a', 'c']);
    expect(names((await post(`${DEVICE}/features/filter`, { skipDisabled: true, skipNotReady: 'true' })).body)).toEqual(['a']);
  });

  test('a gateway has its own, an installation has none; both give those of the devices when asked', async () => {
    const { get, post } = await startCaller({ furtherGateways: 1 });
    const wifi = { filter: ['gateway.wifi', 'heating.dhw'] };
    expect(names((await post(`${GATEWAY}/features/filter`, wifi)).body)).toEqual(['gateway.wifi']);
    const all = await post(`${GATEWAY}/features/filter?includeDevicesFeatures=true`, wifi);
    expect(names(all.body)).toEqual(['gateway.wifi', 'heating.dhw']);
    expect((await get(`${INSTALLATION}/features/`)).body).toEqual({ data: [] });
    const both = await get(`${INSTALLATION}/features?includeDevicesFeatures=true&filter=heating.dhw`);
    expect(names(both.body)).toEqual(['heating.dhw', 'heating.dhw']);
    expect((await get(`${INSTALLATION}/features/heating.dhw`)).body).toMatchObject({ errorType: 'FEATURE_NOT_FOUND' });
    expect((await get('/iot/v2/features/installations/5/features')).body).toMatchObject({ errorType: 'INSTALLATION_NOT_FOUND' });
  });

  test('the list of an installation shows what has become due meanwhile', async () => {
    let now = Date.UTC(2026, 10, 21, 12);
    const { get, post } = await startCaller({ now: () => now, effectDelayMs: 1000 });
    const all = `${INSTALLATION}/features?includeDevicesFeatures=true&filter=heating.circuits.0.heating.curve`;
    const shift = async () => at((await get(all)).body, 'data.0.properties.shift.value');
    await post(`${DEVICE}/features/heating.circuits.0.heating.curve/commands/setCurve`, { shift: 5, slope: 1 });
    expect(await shift()).toBe(0);
    now += 1000;
    expect(await shift()).toBe(5);
  });

  test('the device `gateway` of the list of equipment answers with the features of the gateway', async () => {
    const { get } = await startCaller();
    expect(names((await get(`${GATEWAY}/devices/gateway/features`)).body)).toEqual(['gateway.devices', 'gateway.wifi']);
    expect(at((await get(`${GATEWAY}/devices/gateway/features/gateway.wifi`)).body, 'feature')).toBe('gateway.wifi');
  });

  test('a gateway takes commands of its own', async () => {
    const gatewayFeatures = {
      'gateway.name': {
        properties: { name: { type: 'string', value: 'a' } },
        commands: { setName: { params: { name: { type: 'string', required: true } } } },
      },
    };
    const { get, post } = await startCaller({ home: { ...defaultHome, gatewayFeatures } });
    expect((await post(`${GATEWAY}/features/gateway.name/commands/setName`, { name: 'b' })).status).toBe(200);
    expect(at((await get(`${GATEWAY}/features/gateway.name`)).body, 'properties.name.value')).toBe('b');
  });
});

describe('wishes that cannot be understood', () => {
  const refused = (path: string) => ({ errorType: 'VALIDATION_ERROR', extendedPayload: { details: [{ path }] } });

  test.each([
    ['regex=%5B', 'regex'],
    ['skipDisabled=maybe', 'skipDisabled'],
    ['skipNotReady=1', 'skipNotReady'],
  ])('%s', async (query, path) => {
    const { get } = await startCaller();
    expect((await get(`${DEVICE}/features?${query}`)).body).toMatchObject(refused(path));
  });

  test.each<[unknown, string]>([
    [{ filter: [1] }, 'filter'],
    [{ filter: {} }, 'filter'],
    [{ regex: 1 }, 'regex'],
    [{ skipDisabled: 1 }, 'skipDisabled'],
    [[], ''],
    ['{', ''],
  ])('%j', async (body, path) => {
    const { post } = await startCaller();
    expect((await post(`${DEVICE}/features/filter`, body)).body).toMatchObject(refused(path));
  });

  test('the method and the type of the body count', async () => {
    const caller: Caller = await startCaller();
    for (const at of [INSTALLATION, GATEWAY, DEVICE]) {
      expect((await caller.get(`${at}/features/filter`)).body).toMatchObject({ errorType: 'NOT_ALLOWED' });
      expect((await caller.post(`${at}/features`, {})).body).toMatchObject({ errorType: 'NOT_ALLOWED' });
      const plain = await caller.post(`${at}/features/filter`, {}, { 'content-type': 'text/plain' });
      expect(plain.body).toMatchObject({ statusCode: 400, errorType: 'UNSUPPORTED_MEDIA_TYPE' });
    }
  });
});
