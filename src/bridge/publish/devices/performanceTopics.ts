import { dayAfter } from '../../../features/performance/calendar.ts';
import { reportsSoFar, startsPerDay } from '../../../features/performance/report.ts';
import { performanceMessages } from '../../../topics/performanceMessages.ts';
import { type DeviceState, deviceKey } from '../../state/deviceState.ts';
import type { Performance } from '../../state/performance/performance.ts';
import type { RetainedPublisher } from '../broker/retainedPublisher.ts';

/** More than the days by which starts are counted. */
const BEFORE_YEAR_DAYS = 31;

/** Publishes how a device ran: the last day that has ended, and its month and year up to it. They change once a day. */
export const showPerformance = (base: string, performance: Performance, publisher: RetainedPublisher, { device }: DeviceState): void => {
  const key = deviceKey(device);
  const last = performance.lastDay(key);
  if (last === undefined) return;
  const rows = performance.rows(key, dayAfter(`${last.slice(0, 4)}-01-01`, -BEFORE_YEAR_DAYS));
  publisher.assign(`performance ${key}`, performanceMessages(base, device.name, reportsSoFar(rows), startsPerDay(rows)));
};
