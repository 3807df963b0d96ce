import { changedDays, type Week } from '../week.ts';

/** A change of a schedule that was carried out, as it is kept: the former and the written entries of the days that it changed. */
export type WeekChange = { readonly before: Partial<Week>; readonly after: Partial<Week> };

/** A week that a schedule has had. */
export type Version<Change extends WeekChange> = {
  readonly week: Week;
  /** The change that made it; undefined where another program did, or before the first change that is kept. */
  readonly by: Change | undefined;
  /** Of a version of another program: the last change before it. */
  readonly after?: Change;
};

/**
 * The weeks that a schedule has had, the present one first, from the present week and its changes (the newest first). What another program
 * has changed in between is a version of its own, as far as later changes of the same days show it.
 */
export const versionsOf = <Change extends WeekChange>(present: Week, changes: readonly Change[]): readonly Version<Change>[] => {
  const versions: Version<Change>[] = [];
  let week = present;
  for (const change of changes) {
    const written: Week = { ...week, ...change.after };
    if (changedDays(week, written).length > 0) versions.push({ week, by: undefined, after: change });
    versions.push({ week: written, by: change });
    week = { ...written, ...change.before };
  }
  return [...versions, { week, by: undefined }];
};
