import { printWeek } from '../../schedule/text/weekText.ts';
import { localAt } from '../../schedule/zone.ts';
import { COLUMNS, cutTo, printable, wrapText } from '../terminalText.ts';
import { drawWeek } from './chart.ts';
import type { BridgeSaid, Found } from './retainedSchedules.ts';

/** Everything that is known of a schedule, as `--json` prints it. */
export const jsonOf = ({
  device,
  feature,
  week,
  constraints,
  isWritable,
  isActive,
  rev,
  now,
  next,
  nextAt,
  profile,
  until,
}: Found): object => ({
  device,
  feature,
  text: printWeek(week),
  entries: week,
  active: isActive,
  now,
  next,
  next_at: nextAt,
  profile,
  until,
  writable: isWritable,
  constraints,
  rev,
});

/** The week as text; behind the names of device and feature, parted by tabs, where it is one of several. */
export const textOf = (found: Found, isAlone: boolean): string => {
  const text = printWeek(found.week) ?? JSON.stringify(found.week);
  return isAlone ? text : [found.device, found.feature, text].map(printable).join('\t');
};

/** One schedule drawn: its names, what it asks for now and next, and its week, as lines of at most 80 columns. */
export const drawSchedule = (found: Found, { zones }: BridgeSaid, atMs: number, colour: boolean): readonly string[] => {
  const zone = zones.get(found.device);
  const local = zone === undefined ? undefined : localAt(atMs, zone);
  return [
    cutTo(printable(`${found.device} ${found.feature}`), COLUMNS),
    ...wrapText(printable(momentSentence(found, local))),
    ...drawWeek(
      {
        week: found.week,
        defaultMode: found.constraints.defaultMode,
        modes: found.constraints.modes,
        ...(local ? { now: { day: local.weekday, minute: local.hour * 60 + local.minute } } : {}),
      },
      colour,
    ),
  ];
};

type Local = ReturnType<typeof localAt>;

const momentSentence = ({ isActive, isWritable, now, next, nextAt, profile, until }: Found, local: Local | undefined): string => {
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

/** `22:00`, or `Mon 06:00` on another day, of an RFC 3339 instant with the offset of the place. */
const moment = (instant: string, local: Local | undefined): string => {
  const [, date = '', time = ''] = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})/u.exec(instant) ?? [];
  if (date === '') return instant;
  const today = local && [local.year, local.month, local.day].map((part) => String(part).padStart(2, '0')).join('-');
  if (date === today) return time;
  const weekday = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`));
  return `${weekday.toLowerCase()} ${time}`;
};
