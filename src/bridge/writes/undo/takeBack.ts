import type { Feature, Json } from '../../../features/feature.ts';
import { readDay } from '../../../schedule/readWeek.ts';
import { standingIn, type ValuePart } from '../../state/valueParts.ts';
import { type ChangePart, groupOf, type SentWrite } from '../write/write.ts';

/** Not carried out; former values shown again; former values unknown; feature no longer shown. */
export type NoTakeBack = 'nothing' | 'is_so' | 'unknown' | 'gone';

/** A former value to restore. `isForeign`: the feature shows a third value. */
export type FormerValue = ValuePart & { readonly value: Json; readonly isForeign: boolean };

/** The values that undo a change, or why it cannot be undone. */
export type TakeBack = { readonly feature: Feature; readonly values: readonly FormerValue[] } | { readonly why: NoTakeBack };

/**
 * The former values of one command's writes that the feature does not show. If the change includes days of
 * the week, only these are undone.
 */
export const takeBack = (writes: readonly SentWrite[], feature: Feature | undefined): TakeBack => {
  if (writes.every(({ state }) => state === 'failed')) return { why: 'nothing' };
  const known = writes.flatMap(({ change = [] }) => change.flatMap(formerOf));
  if (known.length === 0) return { why: 'unknown' };
  if (!feature) return { why: 'gone' };
  const days = known.filter(({ day }) => day !== undefined);
  const wanted = days.length > 0 ? days : known;
  const values = wanted.flatMap(({ written, ...part }): readonly FormerValue[] => {
    const standing = standingIn(feature, part, written, [part.value]);
    return standing === 'before' ? [] : [{ ...part, isForeign: standing !== 'written' }];
  });
  // After a lost answer only the written values prove that the change was carried out.
  const isProven = values.length > 0 && values.every(({ isForeign }) => !isForeign);
  if (!isProven && writes.some(({ isPossible }) => isPossible)) return { why: 'nothing' };
  return values.length > 0 ? { feature, values } : { why: 'is_so' };
};

/** The newest undoable change of a schedule, with its group of writes. */
export const newestTakeBack = (writes: readonly SentWrite[], feature: Feature) => {
  const undoable = writes.filter(({ isUndoable }) => isUndoable);
  for (const [group, all] of [...Map.groupBy(undoable, groupOf)].reverse()) {
    const found = takeBack(all, feature);
    if ('values' in found) return { group, values: found.values };
  }
  return undefined;
};

/** Under a temporary write the lasting value counts: an undo makes no temporary value permanent. */
const formerOf = ({ property, day, former, lasting: value = former, written }: ChangePart) =>
  value === undefined || (day && !readDay(value).ok) ? [] : [{ property, day, value, written }];
