import type { Feature } from '../../features/feature.ts';
import type { Effect } from '../commands/evaluate.ts';
import { entriesOf, isSamePart, isSameValue, partsOf, partValue, withValue } from '../devices/valueParts.ts';
import type { Part, Temporary } from './storedOverrides.ts';

/**
 * The values that a command replaces on the feature as it was shown before, without unchanged ones; undefined where a former value is
 * missing, so that it cannot be restored.
 */
export const replacedBy = (effect: Effect, before: Feature): readonly Part[] | undefined => {
  const parts = partsOf(effect).map(({ value: written, ...part }): Part | undefined => {
    const former = partValue(before, part);
    return former === undefined || former === null ? undefined : { ...part, written, former };
  });
  const known = parts.filter((part) => part !== undefined);
  if (known.length < parts.length) return undefined;
  return known.filter((part) => !isSameValue(part, part.written, part.former));
};

/** `written` while the feature shows the written value, `former` where it shows the replaced one again, `other` for a third value. */
export const standingOf = (feature: Feature, part: Part): 'written' | 'former' | 'other' => {
  const shown = partValue(feature, part);
  if (isSameValue(part, shown, part.former)) return 'former';
  return isSameValue(part, shown, part.written) ? 'written' : 'other';
};

/** The name of the part in messages. */
export const nameOf = ({ property, day }: Part): string => day ?? property;

/**
 * Merges a newer temporary write with the older one on the feature: the parts of both, with the values before the first. Parts of the older
 * that were changed elsewhere since are dropped. `before` is the feature as it was shown before the newer.
 */
export const laidOver = (older: Temporary | undefined, newer: Temporary, before: Feature): Temporary => {
  const still = (older?.parts ?? []).filter((part) => standingOf(before, part) === 'written');
  const parts = newer.parts.map((part) => ({ ...part, former: still.find((one) => isSamePart(one, part))?.former ?? part.former }));
  return { ...newer, parts: [...still.filter((one) => !parts.some((part) => isSamePart(one, part))), ...parts] };
};

/** The rest of a temporary write after an ordinary write with this effect. Parts written with the same value stay. Undefined where nothing is left. */
export const withoutWritten = (temporary: Temporary, { values, days }: Effect): Temporary | undefined => {
  const isOverwritten = (part: Part): boolean => {
    const { property, day } = part;
    const value = values.get(property);
    if (value === undefined || (day !== undefined && days?.includes(day) === false)) return false;
    return !isSameValue(part, day === undefined ? value : entriesOf(value, day), part.written);
  };
  const parts = temporary.parts.filter((part) => !isOverwritten(part));
  if (parts.length === temporary.parts.length) return temporary;
  return parts.length > 0 ? { ...temporary, parts } : undefined;
};

/** With the shown values as the written ones: the platform may have adapted them. */
export const asShown = (temporary: Temporary, feature: Feature): Temporary => ({
  ...temporary,
  parts: temporary.parts.map((part) => ({ ...part, written: partValue(feature, part) ?? part.written })),
});

/** The feature as it will be after the temporary write. */
export const withoutTemporary = (feature: Feature, { parts }: Temporary): Feature =>
  parts.filter((part) => standingOf(feature, part) === 'written').reduce((shown, part) => withValue(shown, part, part.former), feature);
