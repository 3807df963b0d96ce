import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { DEVICES, deviceFiles } from '../../support/devices/deviceFiles.ts';
import { at, membersOf, startCaller } from './simulatorCaller.ts';

const folderWith = (files: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'simulator-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content);
  return folder;
};

const masked = (deviceId: string) => ({
  ...{ feature: 'a.b', deviceId, gatewayId: '################', apiVersion: 1, isEnabled: true, isReady: true },
  timestamp: '2024-01-02T03:04:05.678Z',
  uri: `https://old.example/iot/v1/equipment/installations/######/gateways/################/devices/${deviceId}/features/a.b`,
  components: ['x'],
  properties: { active: { type: 'boolean', value: false } },
  commands: {
    activate: { name: 'activate', isExecutable: true, params: {}, uri: 'https://old.example/x' },
    deactivate: { name: 'deactivate', isExecutable: 'false', params: {}, uri: 'https://old.example/x' },
  },
});

test('masked ids get ids of their own; usable ones stay; two of one id are told apart', async () => {
  const data = (id: string) => JSON.stringify({ data: [masked(id)] });
  const files = { 'One.json': data('0'), 'Two x.json': data('0'), 'Zig.json': data('zigbee-####'), 'notes.txt': '{' };
  const { served, get, post, path: pathOf, values, installation, gateway } = await startCaller({ recorded: folderWith(files) });
  expect(served).toEqual([
    { device: '0', features: 1, source: 'One.json' },
    { device: 'Two-x', features: 1, source: 'Two x.json' },
    { device: 'Zig', features: 1, source: 'Zig.json' },
  ]);
  expect((await get(pathOf('Zig', 'a.b'))).body).toMatchObject({
    ...{ gatewayId: gateway, deviceId: 'Zig', components: ['x'], timestamp: '2024-01-02T03:04:05.678Z' },
    uri: `https://old.example/iot/v1/equipment/installations/${installation}/gateways/${gateway}/devices/Zig/features/a.b`,
    commands: { activate: { isExecutable: true }, deactivate: { isExecutable: 'false' } },
  });
  expect((await post(pathOf('Zig', 'a.b', 'deactivate'), {})).body).toMatchObject({ errorType: 'DEVICE_COMMUNICATION_ERROR' });
  expect((await post(pathOf('Zig', 'a.b', 'activate'), {})).status).toBe(200);
  expect(await values('a.b', 'Zig')).toEqual({ active: true });
});

test.each([
  [{}, /no recorded devices/],
  [{ 'a.json': '{' }, /a\.json is not a recorded device/],
  [{ 'a.json': '{"data":{}}' }, /a\.json is not a recorded device/],
])('a folder with %o is refused with a sentence', async (files, message) => {
  await expect(startSimulator({ recorded: folderWith(files) })).rejects.toThrow(message);
});

/** Records without their addresses, in an order of their own: a gateway's file has features of the same name of several devices. */
const shown = (records: readonly unknown[]): readonly unknown[] => {
  const told = records.map((one) => JSON.stringify(one, (key, value) => (/^(?:uri|gatewayId|deviceId)$/.test(key) ? undefined : value)));
  const keyOf = (record: unknown) => ['feature', 'timestamp', 'properties'].map((key) => JSON.stringify(at(record, key))).join();
  return told.map((text) => JSON.parse(text)).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
};

test('all recorded devices are served, each record with the values it was recorded with, and without a #', async () => {
  const { served, devices, gateway, get, path: pathOf } = await startCaller({ recorded: DEVICES });
  expect(new Set(served.map(({ source }) => source))).toEqual(new Set(deviceFiles()));
  const listOf = async (device?: string) => membersOf((await get(pathOf(device))).body);
  for (const device of devices) {
    expect(device).toMatch(/^[\w.-]+$/);
    for (const record of await listOf(device)) {
      expect(at(record, 'uri')).not.toContain('#');
      expect(record).toMatchObject({ gatewayId: gateway, deviceId: device });
    }
  }
  const own = await listOf();
  for (const file of deviceFiles()) {
    const recorded = membersOf(JSON.parse(readFileSync(path.join(DEVICES, file), 'utf8')));
    const lists = await Promise.all(served.filter(({ source }) => source === file).map(({ device }) => listOf(device)));
    const hasOwn = recorded.some((record) => at(record, 'deviceId') === undefined);
    expect([file, ...shown([...lists.flat(), ...(hasOwn ? own : [])])]).toEqual([file, ...shown(recorded)]);
  }
});
