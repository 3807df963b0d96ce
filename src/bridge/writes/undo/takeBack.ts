import type { Feature, Json } from '../../../features/feature.ts';
import { readDay } from '../../../schedule/readWeek.ts';
import { schedulePropertyOf } from '../../../topics/featureState.ts';
import { isSameValue, partValue, type ValuePart } from '../../state/valueParts.ts';
import { type ChangePart, groupOf, type SentWrite } from '../write/write.ts';

/** Why a change cannot be taken back: it was not carried out, its values are back, the former ones are not known, the feature is gone. */
export type NoTakeBack = 'nothing' | 'is_so' | 'unknown' | 'gone';

/** A former value to write. `isForeign`: the feature shows neither this value nor the one that the change wrote. */
export type FormerValue = ValuePart & { readonly value: Json; readonly isForeign: boolean };

export type TakeBack = { readonly values: readonly FormerValue[] } | { readonly why: NoTakeBack };

/**
 * What takes back the change that these writes of one command made: the former values that the feature does not show. Where the change
 * includes days of the week, only these come back.
 */
export const takeBack = (writes: readonly SentWrite[], feature: Feature | undefined): TakeBack => {
  if (writes.every(({ state }) => state === 'failed')) return { why: 'nothing' };
  const known = writes.flatMap(({ change = [] }) => change.flatMap(formerOf));
  if (known.length === 0) return { why: 'unknown' };
  if (!feature) return { why: 'gone' };
  const week = schedulePropertyOf(feature);
  const days = known.filter(({ property, day }) => day !== undefined && property === week);
  const wanted = days.length > 0 ? days : known.filter(({ day }) => day === undefined);
  const values = wanted.flatMap(({ written, ...part }): readonly FormerValue[] => {
    const shown = partValue(feature, part);
    return isSameValue(part, shown, part.value) ? [] : [{ ...part, isForeign: !isSameValue(part, shown, written) }];
  });
  // After a lost answer only the written values prove that the change was carried out.
  const isProven = values.length > 0 && values.every(({ isForeign }) => !isForeign);
  if (!isProven && writes.some(({ isPossible }) => isPossible)) return { why: 'nothing' };
  return values.length > 0 ? { values } : { why: 'is_so' };
};

/** The newest change of a schedule that can be taken back, and its group of writes. */
export const newestTakeBack = (writes: readonly SentWrite[], feature: Feature) => {
  const undoable = writes.filter(({ isUndoable }) => isUndoable);
  const changes = [...Map.groupBy(undoable, groupOf)].reverse();
  for (const [group, all] of changes) {
    const found = takeBack(all, feature);
    if ('values' in found) return { group, values: found.values };
  }
  return undefined;
};

/** The value below a temporary write, where there was one: no temporary value becomes permanent by an undo. */
const formerOf = ({ property, day, former, lasting = former, written }: ChangePart) =>
  lasting === undefined || (day !== undefined && !readDay(lasting).ok) ? [] : [{ property, day, value: lasting, written }];
