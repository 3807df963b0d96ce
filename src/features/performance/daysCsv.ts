import { csvCell } from '../csv.ts';
import type { DayRow } from './dayRow.ts';

/** The CSV columns, from the row of a day. */
const CSV: readonly (readonly [name: string, of: (row: DayRow) => string | number | undefined])[] = [
  ['day', ({ day }) => day],
  ...(['heat', 'power', 'rod', 'gas'] as const).flatMap((kind) =>
    (['total', 'heating', 'dhw', 'cooling'] as const).map((use) => [`${kind}_${use}`, (row: DayRow) => row[kind]?.[use]] as const),
  ),
  ...(['gasUnit', 'gasKwh', 'starts', 'hours', 'outside', 'covered', 'cost', 'co2'] as const).map(
    (member) => [member.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`), (row: DayRow) => row[member]] as const,
  ),
  ['stale', ({ stale }) => (stale ? 'true' : '')],
];

/** The days of devices as CSV, without a final line break. */
export const daysCsv = (devices: readonly { readonly name: string; readonly rows: readonly DayRow[] }[]): string =>
  [
    ['device', ...CSV.map(([name]) => name)],
    ...devices.flatMap(({ name, rows }) => rows.map((row) => [name, ...CSV.map(([, of]) => of(row))])),
  ]
    .map((line) => line.map(csvCell).join(','))
    .join('\n');
