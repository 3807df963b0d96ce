import type { DayRow } from '../../features/performance/dayRow.ts';
import { allReports, type Report } from '../../features/performance/report.ts';
import { jsonObject } from '../../shared/json.ts';
import { deviceTopic } from '../../topics/topicNames.ts';
import { locale } from '../state/preferences.ts';
import { base, topics } from '../state/store.ts';
import { figuresOf } from './figures.ts';
import { isSoFar, periodsOf } from './model.ts';
import { words } from './words.ts';

const MONTHS = 13;

const monthName = ({ from }: Report): string =>
  new Intl.DateTimeFormat(locale.value, { month: 'short', year: 'numeric', timeZone: 'UTC' }).format(new Date(`${from}T00:00:00Z`));

type Column = { readonly title: string; readonly report: Report };

/** Figures in rows, periods in columns. */
const Table = ({ columns }: { readonly columns: readonly Column[] }) => {
  const w = words.value;
  const texts = columns.map(
    ({ report }) => new Map(figuresOf(report, w).map(({ key, text, uses }) => [key, uses ? `${text} (${uses})` : text])),
  );
  const keys = (Object.keys(w.figures) as (keyof typeof w.figures)[]).filter((key) => texts.some((column) => column.has(key)));
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{w.figure}</th>
          {columns.map(({ title, report }) => (
            <th key={title} scope="col">
              {title} ({report.days}/{report.of})
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key}>
            <th scope="row">{w.figures[key]}</th>
            {texts.map((column, index) => (
              <td key={columns[index]?.title}>{column.get(key) ?? '–'}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

/** What an installer asks for, on one page of paper: the periods, and the months of a year. */
export const Sheet = ({ name, rows }: { readonly name: string; readonly rows: readonly DayRow[] }) => {
  const w = words.value;
  const model = jsonObject(topics.value.get(deviceTopic(base.value, name, 'info')) ?? '')?.['model'];
  const periods = periodsOf(rows).flatMap((shown): readonly Column[] =>
    shown.report ? [{ title: w.periods[shown.name] + (isSoFar(shown) ? `, ${w.soFar}` : ''), report: shown.report }] : [],
  );
  const months = allReports(rows, 'month').slice(0, MONTHS);
  const figure = (report: Report, key: string): string => figuresOf(report, w).find((one) => one.key === key)?.text ?? '–';
  const keys = (['heat', 'power', 'gas', 'factor', 'starts', 'outside'] as const).filter((key) =>
    months.some((report) => figuresOf(report, w).some((one) => one.key === key)),
  );
  return (
    <section class="printSheet">
      <h1>
        {w.sheet}: {name}
        {typeof model === 'string' && ` (${model})`}
      </h1>
      <Table columns={periods} />
      <p>
        {w.notes.factor} {w.notes.cost}
      </p>
      <h2>{w.months}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{w.month}</th>
            {keys.map((key) => (
              <th key={key} scope="col">
                {w.figures[key]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {months.map((report) => (
            <tr key={report.from}>
              <th scope="row">{monthName(report)}</th>
              {keys.map((key) => (
                <td key={key}>{figure(report, key)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
};
