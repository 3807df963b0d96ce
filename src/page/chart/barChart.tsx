import { useMemo, useState } from 'preact/hooks';
import { startOf } from '../../features/energy/periods.ts';
import { localNow } from '../../schedule/shown/localNow.ts';
import { dayText, quantity } from '../shell/format.ts';
import { now } from '../state/time.ts';
import { ChartTable, Periods } from './chartTable.tsx';
import { BAR_KINDS, type BarKind, readAtOf, type Source, sumsIn } from './model.ts';
import { Plot } from './plot.tsx';
import { chartWords } from './words.ts';

/** Sums by day, week, month or year as bars, newest on the right. */
export const BarChart = ({ source: { feature, device, property, unit } }: { readonly source: Source }) => {
  const kinds = BAR_KINDS.filter((kind) => sumsIn(feature.properties.get(kind)?.value));
  const [chosen, setChosen] = useState<BarKind | undefined>();
  const kind = chosen ?? kinds.find((one) => one === property) ?? 'day';
  const newestFirst = sumsIn(feature.properties.get(kind)?.value) ?? [];
  const key = JSON.stringify(newestFirst);
  const data = useMemo(() => [newestFirst.map((_, index) => index), newestFirst.toReversed()], [key]);
  const w = chartWords.value;
  const { date } = localNow(readAtOf(feature.properties.get(`${kind}ValueReadAt`)?.value, now.value), device.zone);
  const formatPlace = (index: number): string => dayText(startOf(kind, date, newestFirst.length - 1 - index), SHORT[kind]);
  const formatValue = (value: number): string => quantity(value, unit);
  return (
    <>
      <Periods all={kinds.map((one) => [one, w.kinds[one]] as const)} chosen={kind} onChoose={setChosen} />
      <Plot data={data} kind="bars" names={[w.value]} formatPlace={formatPlace} formatValue={formatValue} />
      <ChartTable
        lines={[
          [w.when, w.value],
          ...newestFirst.map((value, before) => [longName(kind, startOf(kind, date, before)), formatValue(value)]),
        ]}
      />
    </>
  );
};

const SHORT: Readonly<Record<BarKind, Intl.DateTimeFormatOptions>> = {
  day: { weekday: 'short', day: 'numeric' },
  week: { day: 'numeric', month: 'numeric' },
  month: { month: 'short' },
  year: { year: 'numeric' },
};

const longName = (kind: BarKind, start: string): string => {
  if (kind === 'day') return dayText(start);
  if (kind === 'week') return chartWords.value.weekOf(dayText(start));
  return dayText(start, kind === 'month' ? { month: 'long', year: 'numeric' } : SHORT.year);
};
