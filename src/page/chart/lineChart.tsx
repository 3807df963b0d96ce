import { useMemo, useState } from 'preact/hooks';
import type { HistoryPoint as Point } from '../../api/answers.ts';
import { looksOf } from '../../editor/view/modeLook.ts';
import { localNow } from '../../schedule/shown/localNow.ts';
import { printTime } from '../../schedule/time.ts';
import { colourOf, modesShown } from '../schedules/weekPicture.tsx';
import { Facts } from '../shell/facts.tsx';
import { dayText, quantity } from '../shell/format.ts';
import { historyOf } from '../state/api.ts';
import { useLoaded } from '../state/loaded.ts';
import { now as minute } from '../state/time.ts';
import { ChartTable, Periods } from './chartTable.tsx';
import { aligned, type Span, spansOf, summaryByDay, summaryOf } from './model.ts';
import { Plot } from './plot.tsx';
import { chartWords } from './words.ts';

type Line = { readonly topic: string; readonly name: string };
type Props = {
  readonly lines: readonly Line[];
  readonly unit: string;
  readonly zone?: string | undefined;
  readonly asked?: string | undefined;
};

type Loaded = {
  readonly kept: number;
  readonly now: number;
  readonly lines: readonly (readonly Point[])[];
  readonly asked: readonly Point[];
};

const PERIODS = [1, 3, 7, 14, 30, 90] as const;
const REFRESH_MS = 300_000;

/** The selectable periods: at most the retention time. */
const periodsOf = (kept: number): readonly number[] => [...PERIODS.filter((days) => days < kept), Math.max(kept, 1)];

/** A value over time with its target and, behind it, the modes of its schedule. */
export const LineChart = ({ lines, unit, zone, asked }: Props) => {
  const [days, setDays] = useState<number>(1);
  const topics = JSON.stringify([lines.map(({ topic }) => topic), asked]);
  const load = async (): Promise<Loaded> => {
    const all = [...lines.map(({ topic }) => topic), ...(asked === undefined ? [] : [asked])];
    const answers = await Promise.all(all.map((topic) => historyOf(topic, days)));
    const points = answers.map((answer) => answer.points);
    const { kept = 0, now = 0 } = answers[0] ?? {};
    return { kept, now, lines: points.slice(0, lines.length), asked: points[lines.length] ?? [] };
  };
  const [loaded] = useLoaded(load, [topics, days, Math.floor(minute.value / REFRESH_MS)]);
  const known = loaded === 'failed' ? undefined : loaded;
  const data = useMemo(() => known && aligned(known.lines, known.now), [known]);
  const spans = useMemo<readonly Span[]>(() => (known ? spansOf(known.asked, known.now) : []), [known]);
  const table = useMemo(() => known && summaryByDay(known.lines[0] ?? [], known.now, (ms) => localNow(ms, zone).date), [known, zone]);
  const w = chartWords.value;
  if (loaded === 'failed') return <p role="alert">{w.failed}</p>;
  const summary = summaryOf(known?.lines[0] ?? []);
  const modes = [...new Set(spans.map((span) => span.mode))];
  const looks = looksOf(modes);
  const formatValue = (value: number): string => quantity(value, unit);
  const formatPlace = (seconds: number): string => placeName(seconds * 1000, days, zone);
  return (
    <>
      <Periods all={periodsOf(known?.kept ?? PERIODS[3]).map((one) => [one, w.days(one)] as const)} chosen={days} onChoose={setDays} />
      {known && !summary && <p class="quiet">{known.kept === 0 ? w.off : w.none}</p>}
      {known && summary && data && (
        <>
          <p class="looks">
            {modesShown(modes, looks)}
            {lines.length > 1 &&
              lines.map(({ name, topic }, index) => (
                <span key={topic}>
                  <i class={index === 0 ? 'stroke' : 'stroke dashed'} />
                  {name}
                </span>
              ))}
          </p>
          <Plot
            data={data}
            kind="line"
            names={lines.map(({ name }) => name)}
            formatPlace={formatPlace}
            formatValue={formatValue}
            zone={zone}
            spans={spans}
            colourOf={(word) => colourOf(word, looks)}
          />
          <Facts class="summary" rows={(['lowest', 'highest', 'last'] as const).map((key) => [w[key], formatValue(summary[key])])} />
          {modes.length > 0 && <p class="quiet">{w.background}</p>}
          <ChartTable
            lines={[
              [w.when, w.lowest, w.highest],
              ...(table ?? []).map(({ date, lowest, highest }) => [dayText(date), formatValue(lowest), formatValue(highest)]),
            ]}
          />
        </>
      )}
    </>
  );
};

/** A time label of the axis: the time within a day, else the date at midnight. */
const placeName = (ms: number, days: number, zone: string | undefined): string => {
  const { minutes, date } = localNow(ms, zone);
  if (minutes !== 0) return days <= 3 ? printTime(minutes) : '';
  return dayText(date, { weekday: 'short', day: 'numeric' });
};
