import type { Clock } from '../../shared/clock.ts';
import type { Devices } from '../devices/deviceRegistry.ts';
import type { ResultPublisher } from '../execution/resultPublisher.ts';
import type { PlatformAccess } from '../polling/platformAccess.ts';
import type { Poller } from '../polling/poller.ts';
import type { PollStatistics } from '../polling/pollStatistics.ts';
import type { Connection } from '../ports.ts';
import type { RetainedPublisher } from '../publishing/retainedPublisher.ts';
import type { ScheduleTimer } from '../publishing/scheduleTimer.ts';
import { quotaReport } from '../quota/quotaReport.ts';
import type { RateLimiter } from '../quota/rateLimiter.ts';
import type { Sources } from './statusPublisher.ts';
import type { AuthReport } from './statusReports.ts';

export type ReportParts = {
  readonly clock: Clock;
  readonly connection: Connection;
  readonly quota: RateLimiter;
  readonly auth: () => AuthReport;
  readonly poller: Poller;
  readonly publisher: RetainedPublisher;
  readonly results: ResultPublisher;
  readonly devices: Devices;
  readonly clockwork: Pick<ScheduleTimer, 'zone'>;
  readonly tally: PollStatistics;
  readonly access: PlatformAccess;
};

/** What the reports of the bridge say, each as things stand when it is asked; `shown` are the settings in force, without secrets. */
export const reportSources = ({ version, shown }: { readonly version: string; readonly shown: object }, parts: ReportParts): Sources => {
  const { clock, connection, quota, auth, poller, publisher, results, devices, clockwork, tally, access } = parts;
  const startedAt = new Date(clock.now()).toISOString();
  return {
    info: () => ({
      version,
      started_at: startedAt,
      ...(connection.protocol ? { protocol: connection.protocol } : {}),
      devices: devices.all.map((one) => {
        const { name, gateway, device } = one;
        const zone = clockwork.zone(one);
        return { name, gateway, device, ...(zone ? { time_zone: zone.name, time_zone_from: zone.from } : {}) };
      }),
      settings: shown,
    }),
    auth: () => access.report(auth()),
    quota: () => quotaReport(quota, poller.interval, clock),
    health: () => {
      const { failures, ...moments } = tally.report();
      return {
        ...moments,
        poll_seconds: poller.interval.seconds,
        failures,
        published: publisher.published,
        commands: { ...results.counts },
        answers_dropped: publisher.droppedAnswers,
        memory: Math.round(process.memoryUsage.rss() / 1e6),
      };
    },
  };
};
