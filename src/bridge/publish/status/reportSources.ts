import { type Pace, paceDe, paceEn } from '../../../language/answers/pace.ts';
import { AUTH_DE, LOGIN_URL_DE } from '../../../language/answers/reportsDe.ts';
import type { Language } from '../../../language/language.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { AuthReport, Connection } from '../../ports.ts';
import type { Device } from '../../state/deviceState.ts';
import type { FeatureStore } from '../../state/featureStore.ts';
import type { Zone } from '../../state/timeZones.ts';
import type { ResultPublisher } from '../../writes/answers/resultPublisher.ts';
import type { RetainedPublisher } from '../broker/retainedPublisher.ts';
import { type BridgeStatus, isLoginRefused } from './bridgeStates.ts';
import { bridgeProblems, type Wording } from './problems.ts';
import type { CallCounts, Polls, ReadingReport } from './reading.ts';

// The JSON of `bridge/…` is described in docs/topics.md.

/** `settings` are those in force, without secrets. */
export const infoReport = (
  { version, settings, started_at }: { readonly version: string; readonly settings: object; readonly started_at: string },
  { protocol }: Connection,
  store: Pick<FeatureStore, 'devices'>,
  timer: { zone(device: Device): Zone | undefined },
): object => ({
  version,
  started_at,
  ...(protocol ? { protocol } : {}),
  devices: store.devices.map((one) => {
    const { name, gateway, device } = one;
    const zone = timer.zone(one);
    return { name, gateway, device, ...(zone ? { time_zone: zone.name, time_zone_from: zone.from } : {}) };
  }),
  settings,
});

/** The state of the login with its sentence in the language. */
export const authReport = (report: AuthReport, language: Language): AuthReport => {
  if (language === 'en' || report.message === '') return report;
  const message = AUTH_DE[report.state];
  return { ...report, message: report.login_url === undefined ? message : `${message} ${LOGIN_URL_DE}` };
};

/** Why it is read as often as it is. */
export const paceOf = (quota: CallCounts, { interval }: Polls, clock: Clock): Pace => {
  const now = clock.elapsedMs();
  if (quota.pausedForMs(now) > 0) return { kind: 'refused' };
  return quota.mayRead(now) ? interval.pace : { kind: 'waits' };
};

/** Instants in RFC 3339. */
export const quotaReport = (quota: CallCounts, poller: Polls, clock: Clock, language: Language) => {
  const pace = paceOf(quota, poller, clock);
  const { interval } = poller;
  const now = clock.elapsedMs();
  const pausedMs = quota.pausedForMs(now);
  return {
    used: quota.used(now),
    left: quota.left(now),
    ...(pausedMs > 0 ? { reset_at: new Date(clock.now() + pausedMs).toISOString() } : {}),
    poll_seconds: interval.seconds,
    reason: language === 'de' ? paceDe(pace) : paceEn(pace),
    round_seconds: interval.seconds,
  };
};

/** Whether something is wrong that a person must mend; `status` is that of reading. */
export const problemsReport = (
  auth: AuthReport,
  status: Pick<BridgeStatus, 'auth' | 'problem_code'>,
  quota: CallCounts,
  clock: Clock,
  wording: Wording,
) => {
  const now = clock.elapsedMs();
  const [used, left, pausedMs] = [quota.used(now), quota.left(now), quota.pausedForMs(now)];
  const calls = {
    others: quota.causes(now).others ?? 0,
    perDay: used.per_day + left.per_day,
    isUsedUp: !quota.mayRead(now),
    ...(pausedMs > 0 ? { untilMs: clock.now() + pausedMs } : {}),
  };
  return bridgeProblems(auth, isLoginRefused(status), calls, clock.now(), wording);
};

/** All counts are since the start; `memory` in MB. */
export const healthReport = (
  reading: ReadingReport,
  poller: Polls,
  publisher: RetainedPublisher,
  results: Pick<ResultPublisher, 'counts'>,
) => {
  const { failures, ...moments } = reading;
  return {
    ...moments,
    poll_seconds: poller.interval.seconds,
    failures,
    published: publisher.published,
    commands: { ...results.counts },
    answers_dropped: publisher.droppedAnswers,
    memory: Math.round(process.memoryUsage.rss() / 1e6),
  };
};

export type HealthReport = ReturnType<typeof healthReport>;
export type QuotaReport = ReturnType<typeof quotaReport>;
