import { expect, onTestFinished, test } from 'vitest';
import { startSimulator } from '../../../src/simulator/simulator.ts';

const start = async () => {
  const simulator = await startSimulator();
  onTestFinished(() => simulator.close());
  const { access_token } = simulator.issueTokens();
  const get = async (path: string) => {
    const response = await fetch(simulator.url + path, { headers: { authorization: `Bearer ${access_token}` } });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  return { simulator, get };
};

const FEATURES = '/iot/v2/features/installations/111222/gateways/7571381699991111';

test('the list of equipment: installations with and without gateways, gateways, devices', async () => {
  const { get } = await start();
  const all = '/iot/v2/equipment/installations';
  expect((await get(all)).body.data).toEqual([{ id: 111222, description: 'Simulated home', accessLevel: 'Owner' }]);
  const { body } = await get(`${all}?includeGateways=true`);
  const ids = body.data[0].gateways[0].devices.map(({ id }: { id: string }) => id);
  expect(ids).toEqual(['gateway', '0', 'RoomControl-1']);
  expect((await get(`${all}/111222/gateways`)).body.data).toEqual(body.data[0].gateways);
  expect((await get(`${all}/111222/gateways/7571381699991111/devices/`)).body.data).toEqual(body.data[0].gateways[0].devices);
  expect((await get(`${all}/5/gateways`)).status).toBe(404);
  expect((await get(`${all}?limit=1001`)).status).toBe(400);
});

test('lists leave out disabled features where asked to, and a gateway gives those of its devices', async () => {
  const { get } = await start();
  const names = async (path: string): Promise<readonly string[]> =>
    (await get(FEATURES + path)).body.data.map(({ deviceId = 'gateway', feature }: Record<string, string>) => `${deviceId} ${feature}`);
  const whole = await names('/devices/0/features/');
  const enabled = await names('/devices/0/features?skipDisabled=true');
  expect(enabled.length).toBeLessThan(whole.length);
  const rooms = await names('/devices/RoomControl-1/features');
  const own = await names('/features');
  expect(own).toEqual(['gateway gateway.devices', 'gateway gateway.wifi']);
  expect(await names('/features?includeDevicesFeatures=true')).toEqual([...own, ...enabled, ...rooms]);
});

test('v1 can be retired: its paths answer 410 with what took their place, v2 goes on', async () => {
  const { simulator, get } = await start();
  const v1 = '/iot/v1/equipment/installations/111222/gateways/7571381699991111/devices/0/features';
  expect((await get(v1)).status).toBe(200);
  simulator.control({ command: 'retire_v1', on: true });
  const gone = await get(v1);
  expect([gone.status, gone.body.errorType]).toEqual([410, 'GONE']);
  expect(gone.body.extendedPayload.replacement).toMatch(/^GET \/iot\/v2\//);
  expect((await get(`${FEATURES}/devices/0/features`)).status).toBe(200);
  simulator.control({ command: 'retire_v1', on: false });
  expect((await get(v1)).status).toBe(200);
});
