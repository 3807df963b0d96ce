import type { Constraints } from '../../schedule/constraints.ts';
import { readJsonWeek } from '../../schedule/jsonWeek.ts';
import { readTime } from '../../schedule/time.ts';
import { validateWeek } from '../../schedule/validateWeek.ts';
import { changedDays, DAYS, type Day, type Week } from '../../schedule/week.ts';
import type { Issue } from '../../shared/issue.ts';
import { type EditDay, type EditEntry, isDrawable } from './editWeek.ts';

/** The place of an issue in a week. */
export type Place = { readonly day: Day; readonly index?: number; readonly part?: 'start' | 'end' | 'mode' };

/** The changed days of `after`, in the format to send. */
export const changesOf = (before: Week, after: Week): Partial<Week> =>
  Object.fromEntries(changedDays(before, after).map((day) => [day, after[day]]));

/** All rules that the changed days break, as the bridge would report them. */
export const weekIssues = (before: Week, after: Week, constraints: Constraints): readonly Issue[] => {
  const changes = changesOf(before, after);
  if (Object.keys(changes).length === 0) return [];
  const checked = validateWeek(readJsonWeek(changes), constraints, before);
  return checked.ok ? [] : checked.issues;
};

/** All rules that a complete or partial week breaks under these constraints. */
export const unfit = (week: Partial<Week>, constraints: Constraints): readonly Issue[] => {
  const checked = validateWeek(readJsonWeek(week), constraints, undefined);
  return checked.ok ? [] : checked.issues;
};

const PLACE = new RegExp(`(?:^|/)(${DAYS.join('|')})(?:/(\\d+)(?:/(start|end|mode))?)?`, 'u');

/** The place of an issue in the week; undefined if the issue concerns no day. */
export const placeOf = ({ path }: Pick<Issue, 'path'>): Place | undefined => {
  const [, name, index, part] = PLACE.exec(path) ?? [];
  const day = DAYS.find((one) => one === name);
  if (!day) return undefined;
  return {
    day,
    ...(index === undefined ? {} : { index: Number(index) }),
    ...(part === 'start' || part === 'end' || part === 'mode' ? { part } : {}),
  };
};

/** The issues of these days, each once; of an entry with its index, and those of its whole day. */
export const issuesOn = (issues: readonly Issue[], days: readonly Day[], entry?: number): readonly Issue[] => {
  const found = issues.flatMap((issue) => {
    const { day, index, part } = placeOf(issue) ?? {};
    const isHere = day !== undefined && days.includes(day) && (entry === undefined || index === undefined || index === entry);
    return isHere ? [[`${issue.rule} ${index} ${part} ${String(issue.got)}`, issue] as const] : [];
  });
  return [...new Map(found).values()];
};

/** The nearest allowed values for a wrong value. */
export const fixesOf = (issue: Issue): readonly string[] =>
  placeOf(issue)?.part === undefined ? [] : (issue.nearest ?? []).filter((one) => typeof one === 'string');

/** The day with the wrong value of an entry corrected. */
export const withFix = (entries: EditDay, { index, part }: Place, value: string): EditDay =>
  entries.map((entry, at) => (at === index && part ? mendedEntry(entry, part, value) : entry));

const mendedEntry = ({ start, end, mode, origin }: EditEntry, part: 'start' | 'end' | 'mode', value: string): EditEntry => {
  if (part === 'mode') return { start, end, mode: value, ...(origin ? { origin: { ...origin, mode: value } } : {}) };
  const minutes = readTime(value);
  if (minutes === undefined) return { start, end, mode };
  const next = part === 'start' ? { start: minutes, end, mode } : { start, end: minutes, mode };
  return isDrawable(next) ? next : { start, end, mode };
};
