import { changedDays, type Week } from '../week.ts';

/** A stored change of a schedule: the former and the written entries of the changed days. */
export type WeekChange = { readonly before: Partial<Week>; readonly after: Partial<Week> };

/** A week that a schedule has had. */
export type Version<Change extends WeekChange> = {
  readonly week: Week;
  /** The change that made it; undefined for another program, or before the first stored change. */
  readonly by: Change | undefined;
  /** For a version of another program: the last change before it. */
  readonly after?: Change;
};

/**
 * The weeks of a schedule, newest first, from the present week and its changes (newest first). Other
 * programs' changes in between are versions of their own if later changes of the same days show them.
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
