import type { Pace } from '../../language/answers/pace.ts';
import type { PaceNumbers } from '../../language/log.ts';
import { Facts } from '../shell/facts.tsx';
import { localMoment, number } from '../shell/format.ts';
import { words } from '../shell/words.ts';
import { getJson } from '../state/api.ts';
import { useKept } from '../state/loaded.ts';
import { now } from '../state/time.ts';
import { logWords } from './words.ts';

const MINUTE_S = 60;
const paceText = (pace: Pace): string => {
  const paces: Readonly<Record<string, (numbers: PaceNumbers) => string>> = logWords.value.paces;
  return paces[pace.kind]?.(pace) ?? '';
};

/** The calls of the last 24 h by cause, and the read interval with its reason. Updated each minute. */
export const Calls = () => {
  const w = words.value;
  const l = logWords.value;
  const report = useKept(() => getJson('api/calls'), [now.value]);
  if (!report) return null;
  const { causes, used, left, poll_seconds: seconds, pace, reset_at: reset } = report;
  const every = seconds < 2 * MINUTE_S ? l.seconds(Math.round(seconds)) : l.minutes(Math.round(seconds / MINUTE_S));
  const rows = Object.entries(causes)
    .filter(([, count]) => count > 0)
    .toSorted(([, a], [, b]) => b - a)
    .map(([cause, count]) => [(Object.hasOwn(l.callCauses, cause) && l.callCauses[cause]) || cause, number(count)] as const);
  return (
    <section class="card stack" aria-labelledby="calls">
      <h2 id="calls">{l.calls24h}</h2>
      <p>{l.callsSum(used.per_day, left.per_day)}</p>
      <Facts class="counts" rows={rows} />
      <p>{reset !== undefined ? w.calls(localMoment(reset)) : l.callsEvery(every)}</p>
      <p class="quiet">{paceText(pace)}</p>
    </section>
  );
};
