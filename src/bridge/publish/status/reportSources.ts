import { type AccountName, commandFor } from '../../../language/accounts/loginHelp.ts';
import { type Pace, paceDe, paceEn } from '../../../language/answers/pace.ts';
import { authDe, LOGIN_URL_DE } from '../../../language/answers/reportsDe.ts';
import type { Language } from '../../../language/language.ts';
import { PROBLEMS } from '../../../language/problems.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { AuthReport, Connection } from '../../ports.ts';
import type { Device } from '../../state/deviceState.ts';
import type { FeatureStore } from '../../state/featureStore.ts';
import type { Quota, ReadTarget } from '../../state/readTarget.ts';
import type { Zone } from '../../state/timeZones.ts';
import type { ResultPublisher } from '../../writes/answers/resultPublisher.ts';
import type { RetainedPublisher } from '../broker/retainedPublisher.ts';
import { isLoginRefused } from './bridgeStates.ts';
import type { PollStatistics, Polls, ReportedRefusal } from './pollStatistics.ts';
import { bridgeProblems } from './problems.ts';

// docs/topics.md describes the JSON of `bridge/…`.

/** `settings`: the current ones, without secrets. */
type Info = { readonly version: string; readonly settings: object; readonly started_at: string };

export type ReportParts = {
  readonly account: AccountName;
  readonly info: Info;
  readonly connection: Connection;
  readonly store: Pick<FeatureStore, 'devices'>;
  readonly timer: { zone(device: Device): Zone | undefined; readonly homeZone: string };
  readonly access: { report(): AuthReport };
  readonly quota: Pick<Quota, 'mayRead' | 'pausedForMs'> & Calls;
  readonly poller: Polls;
  readonly statistics: Pick<PollStatistics, 'report' | 'status'>;
  readonly publisher: RetainedPublisher;
  readonly results: Pick<ResultPublisher, 'counts'>;
  readonly refusals: Refusals;
  readonly reads: { all(): readonly ReadTarget[] };
  readonly reading: { isMissing(): boolean };
  readonly clock: Clock;
  readonly language: Language;
};

type Windows = { readonly per_10_minutes: number; readonly per_day: number };

/** The calls made and the calls allowed. */
type Calls = {
  readonly perDay: number;
  used(): Windows;
  left(): Windows;
  /** The calls of the last 24 hours by cause. */
  causes(): Readonly<Record<string, number>>;
};

/** What the platform refuses to this account. */
type Refusals = {
  report(devices: readonly Device[]): readonly ReportedRefusal[];
  allSince(reads: readonly ReadTarget[]): number | undefined;
};

/** Builds the reports of `bridge/…` when they are requested. */
export const reportsOf = (parts: ReportParts) => {
  const {
    account,
    info,
    connection,
    store,
    timer,
    access,
    quota,
    poller,
    statistics,
    publisher,
    results,
    refusals,
    reads,
    reading,
    clock,
    language,
  } = parts;
  /** The reason for the current read interval. */
  const pace = (): Pace => {
    if (quota.pausedForMs() > 0) return { kind: 'refused' };
    return quota.mayRead() ? poller.interval.pace : { kind: 'waits' };
  };
  return {
    info: (): object => ({
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
    // The login state, with its message in the language.
    auth: (): AuthReport => {
      const report = access.report();
      if (language === 'en' || report.message === '') return report;
      const message = authDe(report.state, commandFor('login', account));
      return { ...report, message: report.login_url === undefined ? message : `${message} ${LOGIN_URL_DE}` };
    },
    quota: () => {
      const { seconds } = poller.interval;
      const pausedMs = quota.pausedForMs();
      return {
        used: quota.used(),
        left: quota.left(),
        ...(pausedMs > 0 ? { reset_at: new Date(clock.now() + pausedMs).toISOString() } : {}),
        poll_seconds: seconds,
        reason: language === 'de' ? paceDe(pace()) : paceEn(pace()),
        round_seconds: seconds,
      };
    },
    /** Calls of the last 24 hours by cause, and the reason for the read interval; only for the page. */
    calls: () => ({ causes: quota.causes(), pace: pace() }),
    /** All counts are since the start; `memory` in MB. */
    health: () => {
      const { failures, ...moments } = statistics.report();
      return {
        ...moments,
        poll_seconds: poller.interval.seconds,
        failures,
        published: publisher.published(),
        commands: { ...results.counts },
        answers_dropped: publisher.droppedAnswers(),
        memory: Math.round(process.memoryUsage.rss() / 1e6),
      };
    },
    plan: () => ({ refused: refusals.report(store.devices), calls_per_day: quota.perDay }),
    status: () => {
      const refused = refusals.report(store.devices);
      const unread = reading.isMissing() ? { unread: true as const } : {};
      return { ...statistics.status(poller, quota, access.report()), ...unread, ...(refused.length > 0 ? { refused } : {}) };
    },
    // Problems that the user must solve.
    problems: () => {
      const pausedMs = quota.pausedForMs();
      const calls = {
        others: quota.causes().others ?? 0,
        perDay: quota.perDay,
        isUsedUp: !quota.mayRead(),
        ...(pausedMs > 0 ? { untilMs: clock.now() + pausedMs } : {}),
        refusedMs: refusals.allSince(reads.all()),
      };
      const login = access.report();
      const isRefused = isLoginRefused(statistics.status(poller, quota, login));
      const own = bridgeProblems(login, isRefused, calls, clock.now(), { language, account, zone: timer.homeZone });
      const { unread, dotted } = PROBLEMS[language];
      if (reading.isMissing()) return { ...own, broker: { message: unread } };
      return { ...own, ...(connection.refusesDots ? { broker: { message: dotted, dots: true } } : {}) };
    },
  };
};

export type Sources = ReturnType<typeof reportsOf>;
