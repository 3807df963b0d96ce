import { expect, it } from 'vitest';
import { report } from '../../../src/cli/performance/report.ts';
import { dayAfter } from '../../../src/features/performance/calendar.ts';
import { daysCsv } from '../../../src/features/performance/daysCsv.ts';
import { keptData } from '../../support/cli/keptData.ts';

const kept = () => {
  const { data_dir, storage, printed } = keptData();
  const print = (options: object = {}) => printed((io) => report({ data_dir }, { csv: false, json: false, ...options }, io));
  /** Twenty days over the end of October; the device tells no rod, and its third day is not whole. */
  const fill = (name: string, key = 'g/0', at: unknown = 0, count = 20): void => {
    const open = { name, day: '2026-11-11', at, last: {}, low: {}, grown: {}, coveredMs: 0, outsideMs: 0, outsideSum: 0 };
    const days = Array.from({ length: count }, (_, i) => {
      const day = dayAfter('2026-10-22', i);
      const row = {
        day,
        heat: { total: 40 },
        power: { total: 10 },
        starts: 4,
        hours: 12,
        by: 'compressors',
        outside: 5,
        covered: i === 2 ? 4 : 24,
      };
      return [`day ${key} ${day}`, row] as const;
    });
    storage.performance.write(new Map<string, object>([...days, [`open ${key}`, open]]), false);
  };
  const forget = (key: string): void => storage.performance.write(new Map([[key, []]]), false);
  return { print, fill, forget, refusals: storage.accountRefusals };
};

it('says that no day is kept yet', () => {
  const { print, refusals } = kept();
  expect(print()).toEqual([1, expect.stringMatching(/ contains no day: .* ends it\.$/u)]);
  refusals.write('device', { gateway: 'g', device: '0', since: 0, last: 0 });
  expect(print()).toEqual([1, expect.stringMatching(/ends it\. Viessmann refuses reads to this account \(402;/u)]);
});

it('has a line for each month and year, without the columns that the device does not tell', () => {
  const { print, fill } = kept();
  fill('home');
  expect(print()).toEqual([
    0,
    [
      'home',
      '              heat kWh  power kWh  factor  starts  hours  outside °C    HGT',
      '  2026-11        400.0      100.0    4.00      40  120.0         5.0  100.0  up to 2026-11-10',
      '  2026-10        400.0      100.0    4.00      40  120.0         5.0  100.0  from 2026-10-22; 9 of 10 days',
      '  2026           800.0      200.0    4.00      80  240.0         5.0  200.0  from 2026-10-22; up to 2026-11-10; 19 of 20 days',
    ].join('\n'),
  ]);
});

it('leaves out the days of a clock that ran ahead, as the page and the topics do', () => {
  const [right, ahead] = [kept(), kept()];
  right.fill('home');
  ahead.fill('home', 'g/0', 0, 90);
  for (const options of [{}, { json: true }, { csv: true }]) expect(ahead.print(options)).toEqual(right.print(options));
});

it('has the days of a month, as CSV and as JSON too', () => {
  const { print, fill } = kept();
  fill('my, home');
  const [, text] = print({ month: '2026-10' });
  expect(text).toMatch(/^ {2}2026-10-24 .* – .*0 of 1 days; no factor: too many hours or days are not known$/mu);
  expect(text.split('\n')).toHaveLength(13);
  const [, csv] = print({ month: '2026-10', csv: true });
  expect(csv.split('\n')).toHaveLength(11);
  expect(csv.split('\n')[1]).toBe('"my, home",2026-10-22,40,,,,10,,,,,,,,,,,,,,4,12,5,24,,,');
  const [json] = JSON.parse(print({ month: '2026-10', json: true })[1]);
  expect(json).toMatchObject({ device: 'my, home', report: { from: '2026-10-22', factor: { total: 4 } } });
  expect(json.days).toHaveLength(10);
  expect(JSON.parse(print({ json: true })[1])).toMatchObject([
    { months: [{}, {}], years: [{}], winters: { change: null }, bins: [{ from: 5, factor: 4 }] },
  ]);
});

it('is of one device and one month, where these are known', () => {
  const { print, fill } = kept();
  fill('home');
  expect(print({ device: 'home' })[0]).toBe(0);
  expect(print({ device: 'other' })).toEqual([1, expect.stringContaining('There is no device other. Available: home.')]);
  expect(print({ month: '2020-01' })).toEqual([1, expect.stringContaining('in 2020-01')]);
  expect(() => print({ month: '2026-13' })).toThrow('--month 2026-13 is not a month; write it as 2026-10');
  expect(() => print({ csv: true, json: true })).toThrow('--csv and --json cannot be used together');
});

const devicesOf = (csv: string): readonly unknown[] => [
  ...new Set(
    csv
      .split('\n')
      .slice(1)
      .map((line) => line.split(',')[0]),
  ),
];

it('tells devices with one name apart, the one that was read last has it', () => {
  const { print, fill } = kept();
  for (const [key, at] of [
    ['112/0', 1],
    ['111/0', 2],
    ['110/0', 0],
  ] as const)
    fill('home', key, at);
  expect(devicesOf(print({ csv: true })[1])).toEqual(['home', 'home (110/0)', 'home (112/0)']);
  expect(print({ csv: true, device: 'home' })[1].split('\n')).toHaveLength(21);
});

it('has the days of a device whose open day cannot be read, by its name where that can', () => {
  const { print, fill, forget } = kept();
  fill('home', '111/0', 'now');
  fill('old', '112/0');
  forget('open 112/0');
  expect(devicesOf(print({ csv: true })[1])).toEqual(['112/0', 'home']);
});

it('has no formula in CSV: a text that would be one stands behind a quote, a number does not', () => {
  const { print, fill } = kept();
  for (const [i, name] of ['=HYPERLINK("http://x")', '@SUM(A1)', '-2+3', '+1', '\tx', 'a=b'].entries()) fill(name, `${i}/0`);
  const names = print({ csv: true })[1]
    .split('\n')
    .slice(1)
    .map((line) => line.slice(0, line.indexOf(',2026-')));
  expect(new Set(names)).toEqual(new Set(['"\'=HYPERLINK(""http://x"")"', "'@SUM(A1)", "'-2+3", "'+1", "'\tx", 'a=b']));
  expect(daysCsv([{ name: 'home', rows: [{ day: '2026-01-01', outside: -2, covered: 24 }] }])).toContain(',-2,24,');
});
