import { printWeek } from '../../schedule/text/weekText.ts';
import { DAYS } from '../../schedule/week.ts';
import { localAt } from '../../schedule/zone.ts';
import { COLUMNS, cutTo, printable, wrapText } from '../terminal/terminalText.ts';
import { drawWeek } from './chart.ts';
import type { BridgeInfo, RetainedSchedule } from './retainedSchedules.ts';

/** Everything that is known about a schedule, as `--json` prints it. */
export const jsonOf = (schedule: RetainedSchedule): object => ({
  device: schedule.device,
  feature: schedule.feature,
  text: printWeek(schedule.week),
  entries: schedule.week,
  active: schedule.isActive,
  now: schedule.now,
  next: schedule.next,
  next_at: schedule.nextAt,
  profile: schedule.profile,
  until: schedule.until,
  writable: schedule.isWritable,
  constraints: schedule.constraints,
  rev: schedule.rev,
});

/** The week as text; where it is one of several, after the names of device and feature, separated by tabs. */
export const textOf = (schedule: RetainedSchedule, isAlone: boolean): string => {
  const text = printWeek(schedule.week) ?? JSON.stringify(schedule.week);
  return isAlone ? text : [schedule.device, schedule.feature, text].map(printable).join('\t');
};

/** A schedule as lines of at most 80 columns: its names, its mode now and next, and its week as a chart. */
export const drawSchedule = (schedule: RetainedSchedule, { zones }: BridgeInfo, atMs: number, colour: boolean): readonly string[] => {
  const zone = zones.get(schedule.device);
  const local = zone === undefined ? undefined : localAt(atMs, zone);
  return [
    cutTo(printable(`${schedule.device} ${schedule.feature}`), COLUMNS),
    ...wrapText(printable(momentSentence(schedule, local))),
    ...drawWeek(
      {
        week: schedule.week,
        defaultMode: schedule.constraints.defaultMode,
        modes: schedule.constraints.modes,
        ...(local ? { now: { day: local.weekday, minute: local.hour * 60 + local.minute } } : {}),
      },
      colour,
    ),
  ];
};

type Local = ReturnType<typeof localAt>;

const momentSentence = (
  { isActive, isWritable, now, next, nextAt, profile, until }: RetainedSchedule,
  local: Local | undefined,
): string => {
  const parts = [
    ...(isActive ? [] : ['not active: the device does not follow it now']),
    ...(now === undefined ? [] : [`now ${now}${nextAt === undefined ? '' : ` until ${moment(nextAt, local)}`}`]),
    ...(nextAt === undefined ? [] : [`${now === undefined ? `from ${moment(nextAt, local)} on` : 'then'} ${next ?? 'nothing'}`]),
    ...(profile === undefined || profile === 'custom' ? [] : [`profile ${profile}`]),
    ...(until === undefined ? [] : [`this week ends ${moment(until, local)}, then the one before comes back`]),
    ...(isWritable ? [] : ['cannot be written']),
  ];
  return parts.length === 0 ? 'nothing is known of now and next' : parts.join(', ');
};

/** `22:00`, or `mon 06:00` on another day, of an RFC 3339 instant with the offset of the place. */
const moment = (instant: string, local: Local | undefined): string => {
  const [, date = '', time = ''] = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})/u.exec(instant) ?? [];
  if (date === '') return instant;
  const today = local && [local.year, local.month, local.day].map((part) => String(part).padStart(2, '0')).join('-');
  if (date === today) return time;
  const weekday = DAYS[(new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7];
  return `${weekday ?? date} ${time}`;
};
