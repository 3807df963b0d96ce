import { useMemo, useState } from 'preact/hooks';
import type { PastSeries } from '../../features/energy/pastFiles.ts';
import { binsOf } from '../../features/performance/compare.ts';
import type { DayRow } from '../../features/performance/dayRow.ts';
import { ChartTable, Periods } from '../chart/chartTable.tsx';
import { Plot } from '../chart/plot.tsx';
import { chartWords } from '../chart/words.ts';
import { dayText, number, quantity } from '../shell/format.ts';
import { kindOf, lastDays, sumsBy, unitOf } from './model.ts';
import { words } from './words.ts';

const PERIODS = ['month', 'year'] as const;

type Rows = { readonly rows: readonly DayRow[] };

type BarsProps = {
  readonly title: string;
  readonly note?: string | undefined;
  /** The front series is last and covers the others. `isStacked`: the series add up. */
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
  readonly isStacked?: boolean;
  /** The heading of the first table column. */
  readonly first?: string;
  readonly places: readonly { readonly short: string; readonly long: string }[];
  readonly format: (value: number) => string;
  readonly children?: preact.ComponentChildren;
};

/** Overlapping bars, with a legend for several series, and the same data as a table. */
const Bars = ({ title, note, series, isStacked, first, places, format, children }: BarsProps) => {
  const told = series.filter(({ values }) => values.some((value) => value !== null));
  const key = JSON.stringify(told.map(({ values }) => values));
  const inFront = (index: number, place: number): number =>
    told.slice(index + 1).reduce((all, { values }) => all + (isStacked ? (values[place] ?? 0) : 0), 0);
  const drawn = told.map(({ values }, index) => values.map((value, place) => (value === null ? null : value + inFront(index, place))));
  const data = useMemo(() => [places.map((_, index) => index), ...drawn], [key]);
  if (told.length === 0) return null;
  const names = told.map(({ name }) => name);
  return (
    <section class="card chart stack">
      <h3>{title}</h3>
      {children}
      {told.length > 1 && (
        <p class="looks">
          {names.map((name, index) => (
            <span key={name}>
              <i style={{ background: `var(--${index === 0 ? 'quiet' : 'accent'})` }} />
              {name}
            </span>
          ))}
        </p>
      )}
      <Plot data={data} kind="bars" names={names} formatPlace={(index) => places[index]?.short ?? ''} formatValue={format} />
      {note && <p class="quiet">{note}</p>}
      <ChartTable
        lines={[
          [first ?? chartWords.value.when, ...names],
          ...places.map(({ long }, index) => [
            long,
            ...told.map(({ values }) => (values[index] === null || values[index] === undefined ? '–' : format(values[index]))),
          ]),
        ]}
      />
    </section>
  );
};

const electricityOf = ({ power, rod }: DayRow): number | undefined => power && (power.total ?? 0) + (rod?.total ?? 0);

/** Heat and electricity or gas, by day. */
export const DayChart = ({ rows }: Rows) => {
  const w = words.value;
  const days = lastDays(rows);
  const kind = kindOf(rows, []);
  const isGas = kind === 'gas';
  const values = (of: (row: DayRow) => number | undefined) => days.map(({ row }) => (row && of(row)) ?? null);
  const { heat, power, gas } = w.figures;
  const both = [
    { name: heat, values: values((row) => row.heat?.total) },
    { name: days.some(({ row }) => row?.rod?.total) ? w.withRod : power, values: values(electricityOf) },
  ];
  return (
    <Bars
      title={isGas ? w.gasByDay : w.byDay}
      series={isGas ? [{ name: gas, values: values((row) => row.gas?.total) }] : both}
      places={placesOf(days)}
      format={(value) => quantity(value, unitOf(kind, rows))}
    />
  );
};

const placesOf = (days: ReturnType<typeof lastDays>): BarsProps['places'] =>
  days.map(({ day }) => ({
    short: dayText(day, { day: 'numeric', month: 'numeric' }),
    long: dayText(day),
  }));

/** The performance factor by outside temperature in 5 K steps; for a boiler its consumption. */
export const OutsideChart = ({ rows }: Rows) => {
  const w = words.value;
  const bins = binsOf(rows);
  const hasFactor = bins.some(({ factor }) => factor !== null);
  const values = bins.map(({ factor, used }) => (hasFactor ? factor : used));
  const unit = bins[0]?.unit === 'm3' ? 'm³' : 'kWh';
  const name = hasFactor ? w.figures.factor : w.figures[kindOf(rows, [])];
  return (
    <Bars
      title={hasFactor ? w.byOutside : w.usedByOutside}
      note={hasFactor ? `${w.notes.factor(rows.some(({ rod }) => rod !== undefined))} ${w.binNote}` : w.binNote}
      first={w.figures.outside}
      series={[{ name, values }]}
      places={bins.map(({ from, to, days }) => ({
        short: `${number(from)} °C`,
        long: `${w.bin(number(from), number(to))} (${days} ${w.days})`,
      }))}
      format={(value) => (hasFactor ? number(value, 2) : quantity(value, unit))}
    />
  );
};

/** Starts per day. */
export const StartsChart = ({ rows }: Rows) => {
  const w = words.value;
  const days = lastDays(rows);
  const series = [{ name: w.figures.starts, values: days.map(({ row }) => row?.starts ?? null) }];
  return <Bars title={w.startsByDay} series={series} places={placesOf(days)} format={(value) => number(value, 0)} />;
};

/** Months and years; those before the installation are in another shade. */
export const HistoryChart = ({ rows, past }: Rows & { readonly past: readonly PastSeries[] }) => {
  const [chosen, setChosen] = useState<'month' | 'year'>('month');
  const w = words.value;
  const kind = kindOf(rows, past);
  const known = PERIODS.filter((one) => sumsBy(one, rows, past, kind).length > 0);
  const grain = known.includes(chosen) ? chosen : known[0];
  if (grain === undefined) return null;
  const sums = sumsBy(grain, rows, past, kind);
  const style = grain === 'year' ? ({ year: 'numeric' } as const) : ({ month: 'short', year: 'numeric' } as const);
  const hasPast = sums.some((sum) => sum.past > 0);
  const own = { name: w.own, values: sums.map((sum) => (sum.own > 0 ? sum.own : null)) };
  const before = { name: w.past, values: sums.map((sum) => (sum.past > 0 ? sum.past : null)) };
  const unit = unitOf(kind, rows, past);
  return (
    <Bars
      title={`${w.history}: ${w.figures[kind]}`}
      series={hasPast ? [before, own] : [own]}
      isStacked
      first={chartWords.value.period}
      places={sums.map(({ from }) => ({
        short: dayText(from, style),
        long: dayText(from, grain === 'year' ? style : { month: 'long', year: 'numeric' }),
      }))}
      format={(value) => quantity(value, unit)}
    >
      <Periods all={known.map((one) => [one, w[`${one}s`]] as const)} chosen={grain} onChoose={setChosen} />
    </Bars>
  );
};
