import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { GetAnswers } from '../../api/answers.ts';
import { Button } from '../../editor/view/Button.tsx';
import type { PastSeries } from '../../features/energy/pastFiles.ts';
import { wintersOf } from '../../features/performance/compare.ts';
import type { DayRow } from '../../features/performance/dayRow.ts';
import { daysCsv } from '../../features/performance/daysCsv.ts';
import { localNow } from '../../schedule/shown/localNow.ts';
import { printSheet } from '../faults/printSheet.ts';
import { deviceTitle } from '../overview/names.ts';
import { NoData } from '../overview/refusals.tsx';
import { RefusedDevice } from '../overview/refusedHere.tsx';
import { Facts } from '../shell/facts.tsx';
import { quantity } from '../shell/format.ts';
import { Heading } from '../shell/heading.tsx';
import { words as pageWords } from '../shell/words.ts';
import { getJson } from '../state/api.ts';
import { useLoaded } from '../state/loaded.ts';
import { devices, zoneOf } from '../state/store.ts';
import { now } from '../state/time.ts';
import { DayChart, HistoryChart, OutsideChart, StartsChart } from './charts.tsx';
import { type Figure, figuresOf } from './figures.ts';
import { periodsOf, type ShownPeriod } from './model.ts';
import { PastPart } from './pastPart.tsx';
import { Sheet } from './sheet.tsx';
import { daysIn, download, words } from './words.ts';

const HOUR_MS = 3_600_000;

type Loaded = {
  readonly devices: readonly { readonly name: string; readonly rows: readonly DayRow[] }[];
  readonly past: GetAnswers['api/past'];
};

const load = async (names: readonly string[]): Promise<Loaded> => {
  const past = await getJson('api/past');
  const all = await Promise.all(
    names.map(async (name) => ({ name, rows: (await getJson('api/performance', `?device=${encodeURIComponent(name)}`)).rows })),
  );
  return { devices: all.filter(({ name, rows }) => rows.length > 0 || past.past.some(({ device }) => device === name)), past };
};

const rowOf = ({ label, text, uses, note }: Figure) =>
  [label, [text, (uses || note) && <span class="quiet"> {uses ?? note}</span>]] as const;

/** A period with its figures. It is marked if it has not ended or is incomplete. */
const PeriodCard = ({ shown }: { readonly shown: ShownPeriod }) => {
  const w = words.value;
  const { name, isSoFar, isFirstDay, report } = shown;
  const title = w.periods[name] + (isSoFar ? `, ${w.soFar}` : '');
  return (
    <section class="card stack">
      <h3>{title}</h3>
      {!report && <p class="quiet">{isFirstDay ? w.firstDay : w.noneOfIt}</p>}
      {report && (
        <>
          <p class="quiet">
            {daysIn(report)}
            {report.days < report.of && `; ${w.known(report.days, report.of)}`}
          </p>
          <Facts class="figures" rows={figuresOf(report, w).map(rowOf)} />
        </>
      )}
    </section>
  );
};

type PartProps = Loaded['devices'][number] & { readonly past: readonly PastSeries[] };

const DevicePart = ({ name, rows, past }: PartProps) => {
  const w = words.value;
  const isPrinted = useSignal(false);
  const zone = zoneOf(name);
  const periods = periodsOf(rows, localNow(now.value, zone).date);
  const winters = wintersOf(rows);
  const change = winters?.change ?? null;
  return (
    <section class="performance" aria-label={deviceTitle(name)}>
      <h2 dir="auto">{deviceTitle(name)}</h2>
      <RefusedDevice device={name} />
      {rows.length === 0 && <NoData text={w.none} />}
      <div class="cards">
        {periods.map((shown) => (
          <PeriodCard key={shown.name} shown={shown} />
        ))}
      </div>
      {winters && change !== null && <p>{w.winter(daysIn(winters.now), `${change > 0 ? '+' : ''}${quantity(change * 100, '%')}`)}</p>}
      <DayChart rows={rows} />
      <OutsideChart rows={rows} />
      <StartsChart rows={rows} />
      <HistoryChart rows={rows} past={past} />
      {rows.length > 0 && (
        <p class="choices">
          <Button text={w.daysCsv} onClick={() => download(`heating2mqtt-${name}.csv`, `${daysCsv([{ name, rows }])}\n`)} />
          <Button text={w.print} onClick={() => printSheet(isPrinted)} />
        </p>
      )}
      {isPrinted.value && <Sheet device={name} rows={rows} periods={periods} />}
    </section>
  );
};

/** The performance of each device: periods, charts, files, and the time before the installation. */
export const PerformancePage = () => {
  const w = words.value;
  const names = devices.value.map(({ name }) => name);
  // A page that stays open gets the days that end.
  const [loaded] = useLoaded(() => load(names), [names.join('\n'), Math.floor(now.value / HOUR_MS)]);
  const kept = useRef<Loaded | undefined>(undefined);
  if (typeof loaded === 'object') kept.current = loaded;
  const found = kept.current ?? loaded;
  return (
    <>
      <Heading text={pageWords.value.performance} />
      {found === undefined && <p role="status">{pageWords.value.loading}</p>}
      {found === 'failed' && <p role="alert">{w.failed}</p>}
      {typeof found === 'object' && (
        <>
          {found.devices.length === 0 && <NoData text={w.none} />}
          {found.devices.map(({ name, rows }) => (
            <DevicePart key={name} name={name} rows={rows} past={found.past.past.filter(({ device }) => device === name)} />
          ))}
          <PastPart past={found.past.past} state={found.past.import} />
        </>
      )}
    </>
  );
};
