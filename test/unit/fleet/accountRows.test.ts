import { expect, test } from 'vitest';
import type { FleetRow } from '../../../src/fleet/fleetStore.ts';
import { accountRows } from '../../../src/fleet/rows.ts';
import { recordingLog } from '../../support/system/testSystem.ts';

const row = (name: string, worker?: string): FleetRow => ({ name, entry: { client_id: name }, worker });

test('a row that cannot be read any more holds up no other account, is told once, and is shared out alike by workers that never knew it', async () => {
  let lying = { rows: [row('a'), row('b', 'w2')], broken: [] as string[] };
  let version = 1;
  const store = { rows: async () => lying, rowsVersion: async () => String(version) };
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const known = accountRows(store, recordingLog(logged));
  await known.read();
  lying = { rows: [row('a', 'w1'), row('c')], broken: ['b'] };
  version += 1;
  await known.read();
  version += 1;
  await known.read();
  const fresh = accountRows(store, recordingLog([]));
  await fresh.read();
  expect([...known.all().values()]).toEqual([row('a', 'w1'), row('c'), row('b', 'w2')]);
  expect([[...fresh.all().keys()], [...known.broken()]]).toEqual([['a', 'c'], ['b']]);
  expect(known.placed()).toEqual(fresh.placed());
  expect(logged.map(({ facts }) => facts)).toEqual([{ account: 'b' }]);

  lying = { rows: [row('a', 'w1')], broken: [] };
  version += 1;
  await known.read();
  expect([[...known.all().keys()], [...known.broken()]]).toEqual([['a'], []]);
});
