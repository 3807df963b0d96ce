import { unfitIssues } from '../../schedule/profile.ts';
import { printWeek } from '../../schedule/text/weekText.ts';
import { DAYS } from '../../schedule/week.ts';
import { dateAt, localAt } from '../../schedule/zone.ts';
import { printable } from '../../shared/log.ts';
import { wrapText } from '../terminal/terminalText.ts';
import { drawWeek } from './chart.ts';
import type { BridgeInfo, RetainedSchedule } from './retainedSchedules.ts';

/** Everything known about a schedule, as `--json` prints it. */
export const jsonOf = ({ device, feature, ...shown }: RetainedSchedule): object => ({
  device,
  feature,
  text: printWeek(shown.entries),
  ...shown,
});

/** The week as text; if there are several, after device and feature, separated by tabs. */
export const textOf = (schedule: RetainedSchedule, isAlone: boolean): string => {
  const text = printWeek(schedule.entries) ?? JSON.stringify(schedule.entries);
  return isAlone ? text : [schedule.device, schedule.feature, text].map(printable).join('\t');
};

/** A schedule as lines of at most 80 columns: names, current and next mode, and the week as a chart. */
export const drawSchedule = (
  schedule: RetainedSchedule,
  { zones }: Pick<BridgeInfo, 'zones'>,
  atMs: number,
  colour: boolean,
): readonly string[] => {
  const zone = zones.get(schedule.device);
  const local = zone === undefined ? undefined : localAt(atMs, zone);
  const today = zone === undefined ? undefined : dateAt(atMs, zone);
  const now = local && { day: local.weekday, minute: local.hour * 60 + local.minute };
  return [
    printable(`${schedule.device} ${schedule.feature}`),
    ...wrapText(printable(momentSentence(schedule, today))),
    ...drawWeek({ week: schedule.entries, ...schedule.constraints, now }, colour),
  ];
};

const momentSentence = (schedule: RetainedSchedule, today: string | undefined): string => {
  const { active, writable, now, next, next_at: nextAt, profile, until } = schedule;
  const parts = [
    ...(active ? [] : ['not active: the device does not use it now']),
    ...(now === undefined ? [] : [`now ${now}${nextAt === undefined ? '' : ` until ${moment(nextAt, today)}`}`]),
    ...(nextAt === undefined ? [] : [`${now === undefined ? `from ${moment(nextAt, today)} on` : 'then'} ${next ?? 'nothing'}`]),
    ...(profile === undefined || profile === 'custom' ? [] : [`profile ${profile}`]),
    ...(until === undefined ? [] : [`this week ends ${moment(until, today)}, then the previous week returns`]),
    ...(writable ? [] : ['cannot be written']),
  ];
  return parts.length === 0 ? 'the current and the next mode are unknown' : parts.join(', ');
};

/** `22:00`, or `mon 06:00` on another day, from an RFC 3339 instant with the local offset. */
const moment = (instant: string, today: string | undefined): string => {
  const [, date = '', time = ''] = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})/u.exec(instant) ?? [];
  if (date === '') return instant;
  if (date === today) return time;
  const weekday = DAYS[(new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7];
  return `${weekday ?? date} ${time}`;
};

type ProfileUse = ReturnType<typeof profileUses>[number];

/** The profiles, each with the schedules that it fits (`active`: use it now) and does not fit. */
export const profileUses = ({ profiles }: Pick<BridgeInfo, 'profiles'>, schedules: readonly RetainedSchedule[]) =>
  profiles.map((profile) => {
    const writable = schedules.filter(({ writable }) => writable);
    const judged = writable.map((schedule) => ({ ...schedule, errors: unfitIssues(profile, schedule.constraints) }));
    return {
      name: profile.name,
      week: profile.written,
      fits: judged
        .filter(({ errors }) => errors.length === 0)
        .map(({ device, feature, profile: current }) => ({ device, feature, active: current === profile.name })),
      unfit: judged.filter(({ errors }) => errors.length > 0).map(({ device, feature, errors }) => ({ device, feature, errors })),
    };
  });

/** The profiles as lines of at most 80 columns. */
export const profileLines = (uses: readonly ProfileUse[]): readonly string[] =>
  uses.length === 0 ? wrapText('The bridge has no profiles: the setting schedules.profiles is empty.') : uses.flatMap(linesOf);

const linesOf = ({ name, week, fits, unfit }: ProfileUse): readonly string[] => [
  printable(name),
  ...wrapText(printable(typeof week === 'string' ? week : JSON.stringify(week)), '  week   '),
  ...fits.flatMap(({ device, feature, active }) => wrapText(printable(`${device} ${feature}${active ? ' (in force)' : ''}`), '  fits   ')),
  ...unfit.flatMap(({ device, feature, errors: [first] }) =>
    wrapText(printable(`${device} ${feature}: ${first?.message ?? ''}`), '  not    '),
  ),
];
