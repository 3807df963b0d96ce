import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { DEVICES, deviceFiles } from '../../support/devices/deviceFiles.ts';
import { at, isRecord, startCaller } from './simulatorCaller.ts';

const recordsOf = (body: unknown): Record<string, unknown>[] => {
  const data = at(body, 'data');
  return Array.isArray(data) ? data.filter(isRecord) : [];
};

const folderWith = (files: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'simulator-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content);
  return folder;
};

const masked = (feature: string, deviceId: string) => ({
  feature,
  deviceId,
  gatewayId: '################',
  apiVersion: 1,
  isEnabled: true,
  isReady: true,
  timestamp: '2024-01-02T03:04:05.678Z',
  uri: `https://old.example/iot/v1/equipment/installations/######/gateways/################/devices/${deviceId}/features/${feature}`,
  components: ['x'],
  properties: { active: { type: 'boolean', value: false } },
  commands: {
    activate: { name: 'activate', isExecutable: true, params: {}, uri: 'https://old.example/x' },
    deactivate: { name: 'deactivate', isExecutable: 'false', params: {}, uri: 'https://old.example/x' },
  },
});

describe('a folder of recorded devices', () => {
  test('masked ids get ids of their own; usable ones stay; two of one id are told apart', async () => {
    const data = (id: string) => JSON.stringify({ data: [masked('a.b', id)] });
    const caller = await startCaller({
      recorded: folderWith({ 'One.json': data('0'), 'Two x.json': data('0'), 'Zig.json': data('zigbee-####'), 'notes.txt': '{' }),
    });
    expect(caller.served).toEqual([
      { device: '0', features: 1, source: 'One.json' },
      { device: 'Two-x', features: 1, source: 'Two x.json' },
      { device: 'Zig', features: 1, source: 'Zig.json' },
    ]);
    const { body } = await caller.get(caller.path('Zig', 'a.b'));
    expect(body).toMatchObject({
      gatewayId: caller.gateway,
      deviceId: 'Zig',
      components: ['x'],
      timestamp: '2024-01-02T03:04:05.678Z',
      uri: `https://old.example/iot/v1/equipment/installations/${caller.installation}/gateways/${caller.gateway}/devices/Zig/features/a.b`,
      commands: { activate: { isExecutable: true }, deactivate: { isExecutable: 'false' } },
    });
    expect((await caller.post(caller.path('Zig', 'a.b', 'deactivate'), {})).body).toMatchObject({
      errorType: 'DEVICE_COMMUNICATION_ERROR',
    });
    expect((await caller.post(caller.path('Zig', 'a.b', 'activate'), {})).status).toBe(200);
    expect(await caller.values('a.b', 'Zig')).toEqual({ active: true });
  });

  test.each([
    [{}, /no recorded devices/],
    [{ 'a.json': '{' }, /a\.json is no recorded device/],
    [{ 'a.json': '{"data":{}}' }, /a\.json is no recorded device/],
  ])('%o is refused with a sentence', async (files, message) => {
    await expect(startSimulator({ recorded: folderWith(files) })).rejects.toThrow(message);
  });
});

describe('the recorded devices', () => {
  const files = deviceFiles();

  test('all are served, each record with the values it was recorded with', async () => {
    const caller = await startCaller({ recorded: DEVICES });
    expect(new Set(caller.served.map(({ source }) => source))).toEqual(new Set(files));
    const own = recordsOf((await caller.get(caller.path())).body);
    for (const file of files) {
      const recorded: unknown = JSON.parse(readFileSync(path.join(DEVICES, file), 'utf8'));
      const devices = caller.served.filter(({ source }) => source === file);
      const lists = await Promise.all(devices.map(async ({ device }) => recordsOf((await caller.get(caller.path(device))).body)));
      const served = [...lists.flat(), ...own.filter(() => recordsOf(recorded).some(({ deviceId }) => deviceId === undefined))];
      const shown = (record: Record<string, unknown>): Record<string, unknown> => {
        const { uri: _uri, gatewayId: _gateway, deviceId: _device, commands, ...rest } = record;
        const told = Object.entries(isRecord(commands) ? commands : {}).map(([name, command]) => {
          const { uri: _address, ...described } = isRecord(command) ? command : {};
          return [name, described] as const;
        });
        return { ...rest, commands: Object.fromEntries(told) };
      };
      // A gateway's file has features of the same name of several devices.
      const keyOf = ({ timestamp, properties }: Record<string, unknown>) => JSON.stringify([timestamp, properties]);
      const sorted = (records: Record<string, unknown>[]) => records.map(shown).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
      const byName = (records: Record<string, unknown>[]) => Map.groupBy(sorted(records), (record) => String(at(record, 'feature')));
      const expected = byName(recordsOf(recorded));
      const got = byName(served);
      expect([file, [...got.keys()].sort()]).toEqual([file, [...expected.keys()].sort()]);
      for (const [name, records] of expected) expect([file, ...(got.get(name) ?? [])]).toEqual([file, ...records]);
    }
  });

  test('no id, address or own uri holds a #, and records are served by themselves', async () => {
    const caller = await startCaller({ recorded: DEVICES, wrapped: true });
    for (const device of caller.devices) {
      expect(device).toMatch(/^[\w.-]+$/);
      const records = recordsOf((await caller.get(caller.path(device))).body);
      for (const record of records) {
        expect(record.uri).not.toContain('#');
        expect(record).toMatchObject({ gatewayId: caller.gateway, deviceId: device });
      }
      for (const record of records.slice(0, 5))
        expect(at((await caller.get(caller.path(device, String(record.feature)))).body, 'data')).toEqual(record);
    }
  });
});
