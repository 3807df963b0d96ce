import { changedDays, type Day, sameDay, type Week, weekOf } from '../../schedule/week.ts';

/** Days changed here and elsewhere, with different results. */
export const conflicts = (base: Week, mine: Week, theirs: Week): readonly Day[] =>
  changedDays(base, theirs).filter((day) => !sameDay(mine[day], base[day]) && !sameDay(mine[day], theirs[day]));

/** The merged week: my day if I changed it, else theirs. */
export const mergedByDay = (base: Week, mine: Week, theirs: Week): Week =>
  weekOf((day) => (sameDay(mine[day], base[day]) ? theirs[day] : mine[day]));

/** True if the change elsewhere has only changes that were also made here. */
export const isMine = (base: Week, mine: Week, theirs: Week): boolean =>
  changedDays(base, theirs).every((day) => sameDay(mine[day], theirs[day]));
