import type { DayRow } from '../../features/performance/dayRow.ts';
import { allReports, type Report } from '../../features/performance/report.ts';
import { jsonObject } from '../../shared/json.ts';
import { deviceTopic } from '../../topics/topicNames.ts';
import { Table } from '../chart/chartTable.tsx';
import { deviceTitle } from '../overview/names.ts';
import { dayText } from '../shell/format.ts';
import { base, topics } from '../state/store.ts';
import { type Figure, figuresOf } from './figures.ts';
import type { ShownPeriod } from './model.ts';
import { daysIn, words } from './words.ts';

const MONTHS = 13;

type SheetProps = { readonly device: string; readonly rows: readonly DayRow[]; readonly periods: readonly ShownPeriod[] };

/** A one-page report for the installer: the periods, and the months of a year. */
export const Sheet = ({ device, rows, periods: all }: SheetProps) => {
  const w = words.value;
  const model = jsonObject(topics.value.get(deviceTopic(base.value, device, 'info')) ?? '')?.['model'];
  const byKey = (report: Report): ReadonlyMap<string, Figure> => new Map(figuresOf(report, w).map((figure) => [figure.key, figure]));
  const periods = all.flatMap((shown) => (shown.report ? [{ ...shown, report: shown.report, figures: byKey(shown.report) }] : []));
  const months = allReports(rows, 'month').slice(0, MONTHS);
  const ofMonths = months.map(byKey);
  const keys = (Object.keys(w.figures) as (keyof typeof w.figures)[]).filter((key) => periods.some(({ figures }) => figures.has(key)));
  const monthly = (['heat', 'power', 'gas', 'factor', 'starts', 'outside'] as const).filter((key) =>
    ofMonths.some((month) => month.has(key)),
  );
  const whole = ({ text, uses }: Figure): string => (uses ? `${text} (${uses})` : text);
  const textOf = (figures: ReadonlyMap<string, Figure> | undefined, key: string, write = ({ text }: Figure) => text): string => {
    const figure = figures?.get(key);
    return figure ? write(figure) : '–';
  };
  const titles = periods.map(
    ({ name, isSoFar, report }) =>
      `${w.periods[name]}${isSoFar ? `, ${w.soFar}` : ''} (${daysIn(report)}${report.days < report.of ? `; ${w.known(report.days, report.of)}` : ''})`,
  );
  return (
    <section class="printSheet">
      <h1>
        {w.sheet}: {deviceTitle(device)}
        {typeof model === 'string' && ` (${model})`}
      </h1>
      <Table
        lines={[
          [w.figure, ...titles],
          ...keys.map((key) => [w.figures[key], ...periods.map(({ figures }) => textOf(figures, key, whole))]),
        ]}
      />
      <p>
        {keys.includes('factor') && `${w.figures.factor}: ${w.notes.factor(keys.includes('rod'))}`}{' '}
        {keys.includes('cost') && `${w.figures.cost}: ${w.notes.cost}`}
      </p>
      <h2>{w.months}</h2>
      <Table
        lines={[
          [w.month, ...monthly.map((key) => w.figures[key])],
          ...months.map(({ from }, index) => [
            dayText(from, { month: 'short', year: 'numeric' }),
            ...monthly.map((key) => textOf(ofMonths[index], key)),
          ]),
        ]}
      />
    </section>
  );
};
