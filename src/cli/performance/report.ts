import { devicesFrom } from '../../bridge/state/performance/storedRows.ts';
import type { Settings } from '../../config/settings.ts';
import { type PeriodKind, periodWith } from '../../features/performance/calendar.ts';
import { binsOf, wintersOf } from '../../features/performance/compare.ts';
import type { DayRow } from '../../features/performance/dayRow.ts';
import { daysCsv } from '../../features/performance/daysCsv.ts';
import { allReports, type Report, reportOf } from '../../features/performance/report.ts';
import { PERFORMANCE_WORDS } from '../../language/performance/performanceWords.ts';
import { UsageError } from '../../shared/errors.ts';
import { readBeside } from '../../storage/openDatabase.ts';
import { text, type Values } from '../command.ts';
import { refusedHint } from '../faults.ts';
import type { Io } from '../terminal/io.ts';
import { jsonText } from '../terminal/terminalText.ts';
import { unknownWord } from '../terminal/usage.ts';

type Kept = { readonly name: string; readonly rows: readonly DayRow[] };

/** `heating2mqtt report`: performance by the stored data. No call, no broker. Exit code 1 without data. */
export const report = (settings: Pick<Settings, 'data_dir'>, values: Values, io: Pick<Io, 'out' | 'err'>): number => {
  const [device, month] = [text(values, 'device'), text(values, 'month')];
  if (values.csv && values.json) throw new UsageError('usage', '--csv and --json cannot be used together');
  if (month !== undefined && !/^\d{4}-(?:0[1-9]|1[0-2])$/u.test(month))
    throw new UsageError('usage', `--month ${month} is not a month; write it as 2026-10`);
  const all = keptIn(settings.data_dir);
  const names = all.map(({ name }) => name);
  if (device !== undefined && names.length > 0 && !names.includes(device)) {
    io.err(unknownWord('device', device, names));
    return 1;
  }
  const kept = all.filter(({ name, rows }) => (device ?? name) === name && daysOf(rows, month).length > 0);
  if (kept.length === 0) {
    const what = `${device === undefined ? '' : ` of ${device}`}${month === undefined ? '' : ` in ${month}`}`;
    io.err(
      `${settings.data_dir} contains no day${what}: a day is stored after the midnight that ends it.${refusedHint(settings.data_dir)}`,
    );
    return 1;
  }
  if (values.csv) io.out(daysCsv(kept.map(({ name, rows }) => ({ name, rows: daysOf(rows, month) }))));
  else if (values.json) io.out(jsonText(kept.map((one) => jsonOf(one, month))));
  else for (const one of kept) io.out(textOf(one, month));
  return 0;
};

/** If devices share a name (a new gateway), the last one read keeps it; the others get their key appended. */
const keptIn = (dataDir: string): readonly Kept[] => {
  const devices = devicesFrom(readBeside(dataDir, 'performance')).toSorted((a, b) => b.at - a.at);
  const taken = new Set<string>();
  return devices
    .map(({ key, name = key, rows }): Kept => {
      const own = taken.has(name) ? `${name} (${key})` : name;
      taken.add(own);
      return { name: own, rows };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

const daysOf = (rows: readonly DayRow[], month: string | undefined): readonly DayRow[] =>
  rows.filter(({ day }) => month === undefined || day.startsWith(`${month}-`));

const jsonOf = ({ name, rows }: Kept, month: string | undefined): object =>
  month === undefined
    ? {
        device: name,
        ...{ months: allReports(rows, 'month'), years: allReports(rows, 'year') },
        ...{ winters: wintersOf(rows) ?? null, bins: binsOf(rows) },
      }
    : { device: name, report: reportOf(rows, periodWith('month', `${month}-01`)), days: daysOf(rows, month) };

/** The columns of the text table; a column without values is left out. */
const COLUMNS: readonly (readonly [name: string, of: (report: Report) => number | null | undefined, digits: number])[] = [
  ['heat kWh', ({ heat }) => heat?.total, 1],
  ['power kWh', ({ power }) => power?.total, 1],
  ['rod kWh', ({ rod }) => rod?.total, 1],
  ['gas m³', ({ gas, gas_unit }) => (gas_unit === 'm3' ? gas?.total : null), 1],
  ['gas kWh', ({ gas_kwh }) => gas_kwh, 1],
  ['factor', ({ factor }) => factor.total, 2],
  ['starts', ({ starts }) => starts, 0],
  ['hours', ({ hours }) => hours, 1],
  ['outside °C', ({ outside }) => outside, 1],
  ['HGT', ({ degree_days }) => degree_days?.hgt, 1],
  ['cost', ({ cost }) => cost, 2],
  ['CO₂ kg', ({ co2 }) => co2, 1],
];

/** Notes on an incomplete period, and why a line has no factor although one is possible. */
const noteOf = (kind: PeriodKind, { why, heat, days, of, from, to }: Report): string => {
  const whole = periodWith(kind, to);
  return [
    ...(from > whole.from ? [`from ${from}`] : []),
    ...(to < whole.to ? [`up to ${to}`] : []),
    ...(days < of ? [`${days} of ${of} days`] : []),
    ...(heat && why['factor'] ? [`no factor: ${PERFORMANCE_WORDS.en.why[why['factor']]}`] : []),
  ].join('; ');
};

type Line = readonly [label: string, kind: PeriodKind, report: Report];

const textOf = ({ name, rows }: Kept, month: string | undefined): string => {
  const known = (label: string, kind: PeriodKind, one: Report | undefined): readonly Line[] => (one ? [[label, kind, one]] : []);
  const lines =
    month === undefined
      ? [
          ...allReports(rows, 'month').flatMap((one) => known(one.to.slice(0, 7), 'month', one)),
          ...allReports(rows, 'year').flatMap((one) => known(one.to.slice(0, 4), 'year', one)),
        ]
      : [
          ...daysOf(rows, month).flatMap(({ day }) => known(day, 'day', reportOf(rows, periodWith('day', day)))),
          ...known(month, 'month', reportOf(rows, periodWith('month', `${month}-01`))),
        ];
  const columns = COLUMNS.filter(([, of]) => lines.some(([, , one]) => typeof of(one) === 'number'));
  const table = [
    ['', ...columns.map(([column]) => column), ''],
    ...lines.map(([label, kind, one]) => [label, ...columns.map(([, of, digits]) => of(one)?.toFixed(digits) ?? '–'), noteOf(kind, one)]),
  ];
  const widths = columns.map((_, index) => Math.max(...table.map((line) => line[index + 1]?.length ?? 0)));
  const print = (line: readonly string[]): string =>
    `  ${line[0]?.padEnd(10)}  ${widths.map((width, index) => line[index + 1]?.padStart(width)).join('  ')}  ${line.at(-1)}`.trimEnd();
  return [name, ...table.map(print)].join('\n');
};
