import type { Quota } from '../../state/readTarget.ts';
import type { Pace } from '../../../language/answers/pace.ts';
import type { AuthReport } from '../../ports.ts';

/** The poller, as far as the reports tell of it: the interval in force, and why it is this one. */
export type Polls = { readonly interval: { readonly seconds: number; readonly pace: Pace } };

type Windows = { readonly per_10_minutes: number; readonly per_day: number };

/** The calls that the platform allows, and those that were made. */
export type CallCounts = Pick<Quota, 'mayRead' | 'pausedForMs'> & {
  readonly perDay: number;
  used(): Windows;
  left(): Windows;
  /** The calls of the last 24 hours by what they were for. */
  causes(): Readonly<Record<string, number>>;
};

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

/** How reading goes, as `check` asks for it. Waiting for the allowance is no failing. */
export type ReadingStatus = {
  readonly platform: boolean;
  /** Seconds since the start. */
  readonly running_s: number;
  readonly poll_seconds: number;
  /** Seconds since the last good read; absent before the first. */
  readonly last_success_s?: number;
  /** Why the last reads failed; absent while they work. */
  readonly problem?: string;
  readonly problem_code?: string;
  /** While nothing is read because the allowance is used up or the platform refuses calls. */
  readonly waits?: boolean;
  /** What the platform refuses to this account; absent where nothing is known of that. */
  readonly refused?: readonly ReportedRefusal[];
  readonly auth: AuthReport['state'];
  readonly auth_message: string;
};

/** How reading goes, as `bridge/health` says it. All counts are since the start. */
export type ReadingReport = {
  readonly last_poll_at?: string;
  readonly last_success_at?: string;
  readonly failures: number;
  /** The code of the last failure; absent since a read has worked. */
  readonly problem?: string;
};
