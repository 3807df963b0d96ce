import { isDeepStrictEqual } from 'node:util';

/** The JSON of `bridge/…` (docs/topics.md). */

export type AuthReport = {
  readonly state: 'ok' | 'refreshing' | 'failing' | 'login_needed';
  /** RFC 3339. */
  readonly since: string;
  readonly consent_expires_at?: string;
  /** When the next login is due although nothing failed: there is no refresh token. */
  readonly login_needed_at?: string;
  /** Where to log in, with the address that comes back to be published on `bridge/auth/set`; only while a login is needed. */
  readonly login_url?: string;
  readonly message: string;
};

export type QuotaReport = {
  readonly used: { readonly per_10_minutes: number; readonly per_day: number };
  readonly left: { readonly per_10_minutes: number; readonly per_day: number };
  /** RFC 3339; only while the platform refuses calls. */
  readonly reset_at?: string;
  readonly poll_seconds: number;
  readonly reason: string;
  readonly round_seconds: number;
};

export type HealthReport = {
  readonly beat: number;
  readonly last_poll_at?: string;
  readonly last_success_at?: string;
  readonly poll_seconds: number;
  /** Reads that failed since the start. */
  readonly failures: number;
  /** Messages published since the start. */
  readonly published: number;
  /** Answers by status since the start. */
  readonly commands: Readonly<Record<string, number>>;
  /** Answers that did not reach the broker since the start: too many waited, or it did not take them. */
  readonly answers_dropped: number;
  /** Resident set size in MB. */
  readonly memory: number;
};

/** True where two health reports are equal but for timestamps, memory, the beat and the count that the reports themselves raise. */
export const sameHealth = (a: HealthReport | undefined, b: HealthReport): boolean =>
  a !== undefined && isDeepStrictEqual(withoutNoise(a), withoutNoise(b));

const withoutNoise = ({ poll_seconds, failures, commands, answers_dropped }: HealthReport): object => ({
  poll_seconds,
  failures,
  commands,
  answers_dropped,
});
