import type { Clock } from '../../shared/clock.ts';
import { failureOf } from '../../shared/failures.ts';
import type { AuthReport, CallFailure } from '../ports.ts';
import type { ReadResult } from '../state/readTarget.ts';
import type { Poller } from './poller.ts';
import type { RateLimiter } from './rateLimiter.ts';

const SHORTEST_PATIENCE_S = 900;
/** Reads that fail may work again soon; after so long, and some tries, something is wrong. */
const FAILING_PATIENCE_S = 180;

/** How reading goes: when it was last tried, when it last worked, and how often it failed. */
export const pollStatistics = (clock: Clock) => {
  const startedMs = clock.elapsedMs();
  /** Why the last call failed; undefined since a read worked. */
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

  /** A read, or what has to come before any, failed. */
  const failed = ({ code, message }: CallFailure): void => {
    // A call that was not made, or not answered, says nothing of what is wrong.
    if (failureOf(code).retry.kind !== 'interval') problem = { code, message };
  };

  /** A list of the devices to read; where there is none, as another account has their gateway, nothing fails. */
  const listed = (count: number): void => {
    hasDevices = count > 0;
    if (hasDevices) return;
    lastPollMs = clock.elapsedMs();
    lastSuccessMs = lastPollMs;
    problem = undefined;
  };

  /** What `bridge/health` says of it. */
  const report = () => {
    const at = (ms: number): string => new Date(clock.now() - (clock.elapsedMs() - ms)).toISOString();
    return {
      ...(lastPollMs === undefined ? {} : { last_poll_at: at(lastPollMs) }),
      ...(lastSuccessMs === undefined ? {} : { last_success_at: at(lastSuccessMs) }),
      failures,
      ...(problem === undefined ? {} : { problem: problem.code }),
    };
  };

  /** What `BridgeStatus` says of it: waiting for the allowance is no failing. */
  const status = (poller: Poller, quota: RateLimiter, { state, message }: AuthReport) => {
    const now = clock.elapsedMs();
    const { seconds, gapSeconds } = poller.interval;
    const ageS = (now - (lastSuccessMs ?? startedMs)) / 1000;
    const waits = !quota.mayRead();
    const isSilent = hasDevices && ageS > Math.max(3 * seconds, SHORTEST_PATIENCE_S);
    const hasFailedForLong = lastSuccessMs === undefined || ageS > Math.max(3 * gapSeconds, FAILING_PATIENCE_S);
    return {
      platform: waits || !(isSilent || (problem !== undefined && hasFailedForLong)),
      running_s: Math.round((now - startedMs) / 1000),
      poll_seconds: seconds,
      ...(lastSuccessMs === undefined ? {} : { last_success_s: Math.round(ageS) }),
      ...(problem === undefined ? {} : { problem: problem.message, problem_code: problem.code }),
      ...(waits ? { waits } : {}),
      auth: state,
      auth_message: message,
    };
  };

  return { ended, failed, listed, report, status };
};
