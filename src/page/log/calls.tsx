import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Pace } from '../../language/log.ts';
import { isRecord } from '../../shared/json.ts';
import { localMoment, number } from '../shell/format.ts';
import { words } from '../shell/words.ts';
import { getJson } from '../state/api.ts';
import { endSession, isLoggedOut } from '../state/session.ts';
import { now } from '../state/time.ts';
import { logWords } from './words.ts';

const MINUTE_S = 60;
const countOf = (report: unknown): number => (isRecord(report) && typeof report['per_day'] === 'number' ? report['per_day'] : 0);

const paceText = (pace: unknown): string => {
  if (!isRecord(pace) || typeof pace['kind'] !== 'string') return '';
  const paces: Readonly<Record<string, (pace: Pace) => string>> = logWords.value.paces;
  const { kind, reads, others } = pace;
  return Object.hasOwn(paces, kind) ? (paces[kind]?.({ kind, reads, others }) ?? '') : '';
};

/** The calls of the last 24 hours by cause, and how often is read now, with the reason; another answer every minute. */
export const Calls = () => {
  const w = words.value;
  const l = logWords.value;
  const report = useSignal<Readonly<Record<string, unknown>>>({});
  const minute = now.value;
  useEffect(() => {
    getJson('api/calls').then(
      (answer) => {
        report.value = answer;
      },
      // While the bridge is away, what was known stays.
      (error: unknown) => {
        if (isLoggedOut(error)) endSession();
      },
    );
  }, [minute, report]);
  const { causes, used, left, poll_seconds: seconds, pace, reset_at: reset } = report.value;
  if (!isRecord(causes) || typeof seconds !== 'number') return null;
  const every = seconds < 2 * MINUTE_S ? l.seconds(Math.round(seconds)) : l.minutes(Math.round(seconds / MINUTE_S));
  const rows = Object.entries(causes)
    .flatMap(([cause, count]) => (typeof count === 'number' && count > 0 ? [[cause, count] as const] : []))
    .toSorted(([, a], [, b]) => b - a);
  return (
    <section class="card stack" aria-labelledby="calls">
      <h2 id="calls">{l.calls24h}</h2>
      <p>{l.callsSum(countOf(used), countOf(left))}</p>
      <dl class="counts">
        {rows.map(([cause, count]) => (
          <div key={cause}>
            <dt>{Object.hasOwn(l.callCauses, cause) ? l.callCauses[cause] : cause}</dt>
            <dd>{number(count)}</dd>
          </div>
        ))}
      </dl>
      <p>{typeof reset === 'string' ? w.calls(localMoment(reset)) : l.callsEvery(every)}</p>
      <p class="quiet">{paceText(pace)}</p>
    </section>
  );
};
