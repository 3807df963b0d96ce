import type { Pace } from '../../../language/answers/pace.ts';
import type { Clock } from '../../../shared/clock.ts';
import { failureOf } from '../../../shared/failures.ts';
import type { AuthReport, CallFailure } from '../../ports.ts';
import type { Quota, ReadResult } from '../../state/readTarget.ts';

/** The poller, as far as the reports tell of it: the interval in force, the time from one read to the next, and why it is this one. */
export type Polls = { readonly interval: { readonly seconds: number; readonly gapSeconds: number; readonly pace: Pace } };

/** A refusal as `bridge/plan` tells it: the name of the device, without one the serial of the gateway, or the installation alone for its events; the moments in RFC 3339. */
export type ReportedRefusal = {
  readonly installation?: string | undefined;
  readonly gateway?: string | undefined;
  readonly device?: string | undefined;
  /** Absent where all features are meant. */
  readonly feature?: string | undefined;
  readonly command?: string | undefined;
  readonly since: string;
  readonly last: string;
};

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

  /** What `bridge/health` says of it. All counts are since the start. */
  const report = () => {
    const at = (ms: number): string => new Date(clock.now() - (clock.elapsedMs() - ms)).toISOString();
    return {
      ...(lastPollMs === undefined ? {} : { last_poll_at: at(lastPollMs) }),
      ...(lastSuccessMs === undefined ? {} : { last_success_at: at(lastSuccessMs) }),
      failures,
      /** The code of the last failure; absent since a read has worked. */
      ...(problem === undefined ? {} : { problem: problem.code }),
    };
  };

  /** How reading goes, as `check` asks for it: waiting for the allowance is no failing. */
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
      /** While nothing is read because the allowance is used up or the platform refuses calls. */
      ...(waits ? { waits } : {}),
      auth: state,
      auth_message: message,
    };
  };

  return { ended, failed, listed, report, status };
};

export type PollStatistics = ReturnType<typeof pollStatistics>;
