import { type Pace, paceDe, paceEn } from '../../../language/answers/pace.ts';
import { AUTH_DE, LOGIN_URL_DE } from '../../../language/answers/reportsDe.ts';
import type { Language } from '../../../language/language.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { AuthReport, Connection } from '../../ports.ts';
import type { Device } from '../../state/deviceState.ts';
import type { FeatureStore } from '../../state/featureStore.ts';
import type { ReadTarget } from '../../state/readTarget.ts';
import type { Zone } from '../../state/timeZones.ts';
import type { ResultPublisher } from '../../writes/answers/resultPublisher.ts';
import type { RetainedPublisher } from '../broker/retainedPublisher.ts';
import { isLoginRefused } from './bridgeStates.ts';
import { bridgeProblems } from './problems.ts';
import type { CallCounts, Polls, ReadingReport, ReadingStatus, ReportedRefusal } from './reading.ts';
import type { Sources } from './statusPublisher.ts';

// The JSON of `bridge/…` is described in docs/topics.md.

/** `settings` are those in force, without secrets. */
type Info = { readonly version: string; readonly settings: object; readonly started_at: string };

export type ReportParts = {
  readonly info: Info;
  readonly connection: Connection;
  readonly store: Pick<FeatureStore, 'devices'>;
  readonly timer: { zone(device: Device): Zone | undefined; readonly homeZone: string };
  readonly access: { report(): AuthReport };
  readonly quota: CallCounts;
  readonly poller: Polls;
  readonly reading: { report(): ReadingReport; status(): ReadingStatus };
  readonly publisher: RetainedPublisher;
  readonly results: Pick<ResultPublisher, 'counts'>;
  readonly refusals: Refusals;
  readonly reads: { all(): readonly ReadTarget[] };
  readonly clock: Clock;
  readonly language: Language;
};

/** What the platform refuses to this account. */
type Refusals = {
  report(devices: readonly Device[]): readonly ReportedRefusal[];
  allSince(reads: readonly ReadTarget[]): number | undefined;
};

/** Makes the reports behind `bridge/…`, as things stand when each is asked for. */
export const reportsOf = (parts: ReportParts): Sources => {
  const { info, connection, store, timer, access, quota, poller, reading, publisher, results, refusals, reads, clock, language } = parts;
  return {
    info: () => ({
      version: info.version,
      started_at: info.started_at,
      ...(connection.protocol ? { protocol: connection.protocol } : {}),
      devices: store.devices.map((one) => {
        const { name, gateway, device } = one;
        const zone = timer.zone(one);
        return { name, gateway, device, ...(zone ? { time_zone: zone.name, time_zone_from: zone.from } : {}) };
      }),
      settings: info.settings,
    }),
    // The state of the login with its sentence in the language.
    auth: () => {
      const report = access.report();
      if (language === 'en' || report.message === '') return report;
      const message = AUTH_DE[report.state];
      return { ...report, message: report.login_url === undefined ? message : `${message} ${LOGIN_URL_DE}` };
    },
    quota: () => quotaReport(quota, poller, clock, language),
    calls: () => ({ causes: quota.causes(clock.elapsedMs()), pace: paceOf(quota, poller, clock) }),
    health: () => healthReport(reading.report(), poller, publisher, results),
    plan: () => ({ refused: refusals.report(store.devices), calls_per_day: quota.perDay }),
    status: () => {
      const refused = refusals.report(store.devices);
      return { ...reading.status(), ...(refused.length > 0 ? { refused } : {}) };
    },
    // Whether something is wrong that a person must mend.
    problems: () => {
      const [now, refusedMs] = [clock.elapsedMs(), refusals.allSince(reads.all())];
      const pausedMs = quota.pausedForMs(now);
      const calls = {
        others: quota.causes(now).others ?? 0,
        perDay: quota.perDay,
        isUsedUp: !quota.mayRead(now),
        ...(pausedMs > 0 ? { untilMs: clock.now() + pausedMs } : {}),
        refusedMs,
      };
      return bridgeProblems(access.report(), isLoginRefused(reading.status()), calls, clock.now(), { language, zone: timer.homeZone });
    },
  };
};

/** Why it is read as often as it is. */
const paceOf = (quota: CallCounts, { interval }: Polls, clock: Clock): Pace => {
  const now = clock.elapsedMs();
  if (quota.pausedForMs(now) > 0) return { kind: 'refused' };
  return quota.mayRead(now) ? interval.pace : { kind: 'waits' };
};

/** Instants in RFC 3339. */
const quotaReport = (quota: CallCounts, poller: Polls, clock: Clock, language: Language) => {
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
