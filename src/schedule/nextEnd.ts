import { bad, broken, type Checked, good, type Rule } from '../shared/issue.ts';
import { printTime } from './time.ts';
import { type Mode, modeIn, nextChange, segmentsOf } from './transitions.ts';
import { changedDays, type Week, weekOf } from './week.ts';

const NEXT = /^\s*(?:next(?:\s+change)?|n(?:ä|ae)chste[nr]?(?:\s+(?:wechsel|änderung|schaltzeit))?)\s*$/iu;

/** True for the word `next` as an end: the next change of the week that governs the value. */
export const isNext = (text: string): boolean => NEXT.test(text.normalize());

/** The week that the heating follows now, of the schedule `name`, or why there is none. */
export type GoverningWeek =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'not_followed'; readonly name: string }
  | {
      readonly kind: 'followed';
      readonly name: string;
      readonly week: Week;
      readonly defaultMode: Mode;
      /** The shortest time between two changes. */
      readonly stepMinutes: number;
      /** The week that a write puts in its place. */
      readonly written?: Week | undefined;
    };

const INSTEAD = 'give an instant or a duration';

/**
 * The end `next` in epoch milliseconds (docs/schedules.md): the first change of the week that is at least one
 * step after `nowMs`. For a written week: the end of the first time in which it differs from the former week.
 * Issues: `no_week`, `not_followed`, `no_change`.
 */
export const nextEnd = (path: string, week: GoverningWeek, nowMs: number, zone: string): Checked<number> => {
  const refused = (rule: Rule, why: string): Checked<never> => bad(broken(rule, path, `${why}; ${INSTEAD}`, { got: 'next' }));
  if (week.kind === 'unknown') return refused('no_week', 'no known week controls this value, so it has no next change');
  if (week.kind === 'not_followed')
    return refused('not_followed', `the heating does not follow ${week.name} now, so it has no next change`);
  const { written } = week;
  const isOther = written !== undefined && changedDays(week.week, written).length > 0;
  const atMs = isOther ? onceOver(week.week, written, week.defaultMode, nowMs, zone) : firstChange(week, nowMs, zone);
  return atMs === undefined ? refused('no_change', `${week.name} has no next change: its mode stays the same`) : good(atMs);
};

// An earlier end would send two commands for nothing.
const firstChange = ({ week, defaultMode, stepMinutes }: GoverningWeek & { kind: 'followed' }, nowMs: number, zone: string) =>
  nextChange(week, defaultMode, nowMs + stepMinutes * 60_000 - 1, zone)?.atMs;

/** The end of the first time in which the two weeks differ; undefined if they never differ, or always. */
const onceOver = (before: Week, after: Week, defaultMode: Mode, nowMs: number, zone: string): number | undefined => {
  const differences = differencesOf(before, after, defaultMode);
  const first = nextChange(differences, undefined, nowMs, zone);
  return first?.mode === undefined ? first?.atMs : nextChange(differences, undefined, first.atMs, zone)?.atMs;
};

/** A week with entries where the modes of the two weeks differ. */
const differencesOf = (before: Week, after: Week, defaultMode: Mode): Week =>
  weekOf((day) => {
    const [old, late] = [segmentsOf(before[day], defaultMode), segmentsOf(after[day], defaultMode)];
    const starts = [...new Set([...old, ...late].map(({ start }) => start))].sort((a, b) => a - b);
    return starts.flatMap((start, index) => {
      if (modeIn(old, start) === modeIn(late, start)) return [];
      return [{ start: printTime(start), end: printTime(starts[index + 1] ?? 1440), mode: 'other', position: index }];
    });
  });
