import type { Clock } from '../base/clock.ts';
import type { Access } from './access.ts';
import type { Answers } from './answers.ts';
import type { Clockwork } from './clockwork.ts';
import type { Devices } from './devices.ts';
import type { Poller } from './poller.ts';
import type { Connection } from './ports.ts';
import type { Publisher } from './publisher.ts';
import type { Quota } from './quota.ts';
import { quotaReport } from './quotaReport.ts';
import type { Sources } from './reporter.ts';
import type { AuthReport } from './reports.ts';
import type { ReadTally } from './standing.ts';

export type ReportParts = {
  readonly clock: Clock;
  readonly connection: Connection;
  readonly quota: Quota;
  readonly auth: () => AuthReport;
  readonly poller: Poller;
  readonly publisher: Publisher;
  readonly answers: Answers;
  readonly devices: Devices;
  readonly clockwork: Pick<Clockwork, 'zone'>;
  readonly tally: ReadTally;
  readonly access: Access;
};

/** What the reports of the bridge say, each as things stand when it is asked; `shown` are the settings in force, without secrets. */
export const reportSources = ({ version, shown }: { readonly version: string; readonly shown: object }, parts: ReportParts): Sources => {
  const { clock, connection, quota, auth, poller, publisher, answers, devices, clockwork, tally, access } = parts;
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
        commands: { ...answers.counts },
        answers_dropped: publisher.droppedAnswers,
        memory: Math.round(process.memoryUsage.rss() / 1e6),
      };
    },
  };
};
