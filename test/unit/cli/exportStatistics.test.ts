import { expect, it } from 'vitest';
import type { Values } from '../../../src/cli/command.ts';
import { exportStatistics } from '../../../src/cli/energy/exportStatistics.ts';
import { keptData } from '../../support/cli/keptData.ts';

const kept = () => {
  const { data_dir, storage, printed } = keptData();
  const print = (options: Values = {}) => printed((io) => exportStatistics({ data_dir, language: 'de' }, options, io));
  return { table: storage.past, print };
};

it('writes what is kept, with the midnights of the house, beside the running bridge', () => {
  const { table, print } = kept();
  expect(print()).toEqual([1, expect.stringContaining(' contains no data of the time')]);
  const past = { device: 'home', zone: 'Europe/Berlin', unit: 'kilowattHour', whole: true, isList: true };
  const bars = [
    { from: '2026-03-29', grain: 'day', amount: 2 },
    { from: '2026-03-30', grain: 'day', amount: 3.5 },
  ];
  table.write('g/0 heating.power.consumption.total', { ...past, bars });
  table.write('g/0 heating.power.consumption.cooling', { ...past, bars: [] });
  table.write('g/0 heating.power.consumption.dhw', { broken: true });
  expect(print()).toEqual([
    0,
    [
      'start,value,unit,grain,device,feature',
      '2026-03-29T00:00:00+01:00,2,kWh,day,home,heating.power.consumption.total',
      '2026-03-30T00:00:00+02:00,3.5,kWh,day,home,heating.power.consumption.total',
    ].join('\n'),
  ]);
  expect(JSON.parse(print({ format: 'ha' })[1])).toMatchObject([
    {
      metadata: {
        statistic_id: 'heating2mqtt:g_0_power_consumption_total',
        name: expect.stringMatching(/^home: .*, vor der Installation/),
      },
    },
  ]);
  expect(print({ device: 'other' })).toEqual([1, expect.stringMatching(/ contains no data of other of .*: data of home exist\.$/)]);
  expect(() => print({ format: 'xml' })).toThrow('ha, tsv, csv');
});
