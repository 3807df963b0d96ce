import type { Pace } from '../../../language/answers/pace.ts';
import type { RefusedPlace } from '../../../language/answers/refusals.ts';
import type { Clock } from '../../../shared/clock.ts';
import { failureOf } from '../../../shared/failures.ts';
import type { AuthReport, CallFailure } from '../../ports.ts';
import type { Quota, ReadResult } from '../../state/readTarget.ts';

/** The poller data in the reports: the current interval, the time between reads, and the reason for it. */
export type Polls = { readonly interval: { readonly seconds: number; readonly gapSeconds: number; readonly pace: Pace } };

/** A refusal in `bridge/plan`: device name, gateway serial, or installation (events). Times in RFC 3339. */
export type ReportedRefusal = RefusedPlace & { readonly since: string; readonly last: string };

const SHORTEST_PATIENCE_S = 900;
/** Failed reads may soon work again; after this time and some tries, it is a problem. */
const FAILING_PATIENCE_S = 180;

/** The state of reading: last try, last success, number of failures. */
export const pollStatistics = (clock: Clock) => {
  const startedMs = clock.elapsedMs();
  /** The reason of the last failed call; undefined after a good read. */
  let problem: Pick<CallFailure, 'code' | 'message'> | undefined;
  let lastPollMs: number | undefined;
  let lastSuccessMs: number | undefined;
  let failures = 0;
  let hasDevices = true;

  const ended = (result: ReadResult): void => {
    lastPollMs = clock.elapsedMs();
    if (result.ok) {
      lastSuccessMs = lastPollMs;
      problem = undefined;
    } else {
      failures += 1;
      failed(result.failure);
    }
  };

  /** A read failed, or a call that must precede it. */
  const failed = ({ code, message }: CallFailure): void => {
    // A call that was not made or not answered does not show the problem.
    if (failureOf(code).retry.kind !== 'interval') problem = { code, message };
  };

  /** A device list. With no device, for example if another account has the gateway, nothing fails. */
  const listed = (count: number): void => {
    hasDevices = count > 0;
    if (hasDevices) return;
    lastPollMs = clock.elapsedMs();
    lastSuccessMs = lastPollMs;
    problem = undefined;
  };

  /** The data of `bridge/health`. All counts are since the start. */
  const report = () => {
    const at = (ms: number): string => new Date(clock.now() - (clock.elapsedMs() - ms)).toISOString();
    return {
      ...(lastPollMs === undefined ? {} : { last_poll_at: at(lastPollMs) }),
      ...(lastSuccessMs === undefined ? {} : { last_success_at: at(lastSuccessMs) }),
      failures,
      /** The code of the last failure; absent after a good read. */
      ...(problem === undefined ? {} : { problem: problem.code }),
    };
  };

  /** The state of reading for `check`: waiting for the allowance is not a failure. */
  const status = (poller: Polls, quota: Pick<Quota, 'mayRead'>, { state, message }: AuthReport) => {
    const now = clock.elapsedMs();
    const { seconds, gapSeconds } = poller.interval;
    const ageS = (now - (lastSuccessMs ?? startedMs)) / 1000;
    const waits = !quota.mayRead();
    const isSilent = hasDevices && ageS > Math.max(3 * seconds, SHORTEST_PATIENCE_S);
    const hasFailedForLong = lastSuccessMs === undefined || ageS > Math.max(3 * gapSeconds, FAILING_PATIENCE_S);
    return {
      platform: waits || !(isSilent || (problem !== undefined && hasFailedForLong)),
      /** Seconds since the start. */
      running_s: Math.round((now - startedMs) / 1000),
      poll_seconds: seconds,
      /** Seconds since the last good read; absent before the first. */
      ...(lastSuccessMs === undefined ? {} : { last_success_s: Math.round(ageS) }),
      /** Why the last reads failed; absent while they work. */
      ...(problem === undefined ? {} : { problem: problem.message, problem_code: problem.code }),
      /** True while nothing is read: the allowance is used up or the platform refuses calls. */
      ...(waits ? { waits } : {}),
      auth: state,
      auth_message: message,
    };
  };

  return { ended, failed, listed, report, status };
};

export type PollStatistics = ReturnType<typeof pollStatistics>;
