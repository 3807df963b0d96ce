import type { PeriodKind } from '../features/performance/calendar.ts';
import type { Report } from '../features/performance/report.ts';
import type { Message } from '../shared/message.ts';
import { deviceTopic } from './topicNames.ts';
import { plainNumber, retainedMessages } from './valuePayload.ts';

/** The last levels of the topics below `<device>/performance`. */
export const PERFORMANCE_LEAVES = ['day', 'month', 'year', 'factor', 'starts_per_day'] as const;

export const performanceTopic = (base: string, device: string, leaf: (typeof PERFORMANCE_LEAVES)[number]): string =>
  deviceTopic(base, device, `performance/${leaf}`);

const numberOf = (value: number | null | undefined): string | undefined =>
  value === null || value === undefined ? undefined : plainNumber(value);

/** Periods as JSON, the month's factor and the daily starts as numbers. Unknown values have no message. */
export const performanceMessages = (
  base: string,
  device: string,
  reports: Readonly<Record<PeriodKind, Report | undefined>>,
  starts: number | undefined,
): readonly Message[] =>
  retainedMessages(deviceTopic(base, device, 'performance/'), [
    ...(['day', 'month', 'year'] as const).map((kind) => [kind, reports[kind] && JSON.stringify(reports[kind])] as const),
    ['factor', numberOf(reports.month?.factor.total)],
    ['starts_per_day', numberOf(starts)],
  ]);
