import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isRecord } from '../../shared/json.ts';
import { localMoment, number } from '../shell/format.ts';
import { words } from '../shell/words.ts';
import { getJson } from '../state/api.ts';
import { endSession, isLoggedOut } from '../state/session.ts';
import { now } from '../state/time.ts';

const MINUTE_S = 60;
const countOf = (report: unknown): number => (isRecord(report) && typeof report['per_day'] === 'number' ? report['per_day'] : 0);

/** The calls of the last 24 hours by cause, and how often is read now, with the reason; another answer every minute. */
export const Calls = () => {
  const w = words.value;
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
  const { causes, used, left, poll_seconds: seconds, reason, reset_at: reset } = report.value;
  if (!isRecord(causes) || typeof seconds !== 'number') return null;
  const every = seconds < 2 * MINUTE_S ? w.seconds(Math.round(seconds)) : w.minutes(Math.round(seconds / MINUTE_S));
  const rows = Object.entries(causes)
    .flatMap(([cause, count]) => (typeof count === 'number' && count > 0 ? [[cause, count] as const] : []))
    .toSorted(([, a], [, b]) => b - a);
  return (
    <section class="card stack" aria-labelledby="calls">
      <h2 id="calls">{w.calls24h}</h2>
      <p>{w.callsSum(countOf(used), countOf(left))}</p>
      <dl class="counts">
        {rows.map(([cause, count]) => (
          <div key={cause}>
            <dt>{Object.hasOwn(w.callCauses, cause) ? w.callCauses[cause] : cause}</dt>
            <dd>{number(count)}</dd>
          </div>
        ))}
      </dl>
      <p>{typeof reset === 'string' ? w.calls(localMoment(reset)) : w.callsEvery(every)}</p>
      {typeof reason === 'string' && (
        <p class="quiet" lang="en">
          {reason}
        </p>
      )}
    </section>
  );
};
