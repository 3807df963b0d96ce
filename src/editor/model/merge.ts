import { changedDays, type Day, sameDay, type Week, weekOf } from '../../schedule/week.ts';

/** Days that were changed here and elsewhere, to different entries. */
export const conflicts = (base: Week, mine: Week, theirs: Week): readonly Day[] =>
  changedDays(base, theirs).filter((day) => !sameDay(mine[day], base[day]) && !sameDay(mine[day], theirs[day]));

/** The week that has each day as it was changed: mine where it was changed here, else theirs. */
export const mergedByDay = (base: Week, mine: Week, theirs: Week): Week =>
  weekOf((day) => (sameDay(mine[day], base[day]) ? theirs[day] : mine[day]));

/** True if a change elsewhere only did what was done here too. */
export const isMine = (base: Week, mine: Week, theirs: Week): boolean =>
  changedDays(base, theirs).every((day) => sameDay(mine[day], theirs[day]));
