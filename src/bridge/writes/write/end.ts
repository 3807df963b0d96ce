import type { Feature } from '../../../features/feature.ts';
import { type Effect, entriesOf, isSamePart, isSameValue, partsOf, partValue, withValue } from '../../state/valueParts.ts';
import type { End, EndPart, SentWrite } from './write.ts';

/** True where the write changes the part; one that it wrote as it was before tells nothing. */
export const isChanging = (part: EndPart): boolean => !isSameValue(part, part.written, part.former);

/**
 * The values that a command replaces on the feature as it was shown before, without unchanged ones; undefined where a former value is
 * missing, so that it cannot be restored.
 */
export const replacedBy = (effect: Effect, before: Feature): readonly EndPart[] | undefined => {
  const parts = partsOf(effect).map(({ value: written, ...part }) => ({ ...part, written, former: partValue(before, part) ?? null }));
  return parts.some(({ former }) => former === null) ? undefined : parts.filter(isChanging);
};

/** `written` while the feature shows the written value, `former` where it shows the replaced one again, `other` for a third value. */
export const standingOf = (feature: Feature, part: EndPart): 'written' | 'former' | 'other' => {
  const shown = partValue(feature, part);
  if (isSameValue(part, shown, part.former)) return 'former';
  return isSameValue(part, shown, part.written) ? 'written' : 'other';
};

/** The parts that the feature shows with a third value: somebody else has changed them since. */
export const contestedIn = (end: End, feature: Feature): readonly EndPart[] => end.parts.filter((part) => isContested(end, part, feature));

/** Before a read has shown it, or its return, the value of the older temporary write below it is no third one. */
const isContested = ({ unseen, again }: End, part: EndPart, feature: Feature): boolean =>
  standingOf(feature, part) === 'other' &&
  !((unseen || again) && part.before !== undefined && isSameValue(part, partValue(feature, part), part.before));

/** The parts that the feature shows as written, or, before a read has shown them, as the older temporary write below. */
export const inForce = (end: End, feature: Feature): readonly EndPart[] =>
  end.parts.filter((part) => standingOf(feature, part) !== 'former' && !isContested(end, part, feature));

/** The end with these of its parts; undefined where it has none. */
const withParts = (end: End, stays: (part: EndPart) => boolean): End | undefined => {
  const parts = end.parts.filter(stays);
  if (parts.length === end.parts.length) return end;
  return parts.length > 0 ? { ...end, parts } : undefined;
};

/** The end without the parts that somebody else has changed; undefined where nothing is left. */
export const withoutContested = (end: End, feature: Feature): End | undefined => withParts(end, (part) => !isContested(end, part, feature));

/** The same after a read has shown it. */
export const seenOf = ({ unseen: _, ...end }: End): End => end;

/**
 * The end of a write that was carried out. Where it was to go on with what it has replaced (`again`), only what older temporary writes had
 * besides is left of it.
 */
export const endAfter = ({ end, change = [] }: Pick<SentWrite, 'end' | 'change'>): End | undefined => {
  if (!end?.again) return end;
  const { again: _, ...left } = end;
  return withParts(left, (part) => !change.some((one) => isSamePart(one, part)));
};

/** The name of the part in messages. */
export const nameOf = ({ property, day }: EndPart): string => day ?? property;

/**
 * The values of a newer temporary write with those of the older one on the feature: each with the value before the first of them, and with
 * the one before the newer. Values of the older that were changed elsewhere since are dropped; where no read has shown it yet, those of the
 * write below it are none of them. `before` is the feature as it was shown before the newer.
 */
export const combinedParts = (older: End | undefined, newer: readonly EndPart[], before: Feature): readonly EndPart[] => {
  const still = older ? inForce(older, before) : [];
  const parts = newer.map((part) => {
    const under = still.find((one) => isSamePart(one, part));
    return under ? { ...part, former: under.former, before: part.former } : part;
  });
  const rest = still.filter((one) => !parts.some((part) => isSamePart(one, part)));
  return [...rest.map((part) => ({ ...part, before: partValue(before, part) ?? part.written })), ...parts];
};

/**
 * True where the feature shows the temporary write, but for values that somebody else has changed since. Values that it wrote as they were
 * before tell nothing.
 */
export const isCarriedOut = (end: End, feature: Feature): boolean => {
  const standings = standingsOf(end, feature);
  return standings.length === 0 || (standings.includes('written') && !standings.includes('former'));
};

/** True where the feature shows no value any more from before a temporary write that the platform adapted. */
export const isAdaptedShown = (end: End, feature: Feature): boolean => !standingsOf(end, feature).includes('former');

const standingsOf = ({ parts }: End, feature: Feature): readonly ('written' | 'former' | 'other')[] => {
  const telling = parts.map((part) => ({ ...part, former: part.before ?? part.former })).filter(isChanging);
  return telling.map((part) => standingOf(feature, part));
};

/** True where the effect writes a property of the temporary write. */
export const concerns = ({ parts }: End, { values }: Effect): boolean => parts.some(({ property }) => values.has(property));

/** The rest of a temporary write after an ordinary write with this effect. Parts written with the same value stay. Undefined where nothing is left. */
export const withoutWritten = (end: End, { values, days }: Effect): End | undefined => {
  const isOverwritten = (part: EndPart): boolean => {
    const { property, day } = part;
    const value = values.get(property);
    if (value === undefined || (day !== undefined && days?.includes(day) === false)) return false;
    return !isSameValue(part, day === undefined ? value : entriesOf(value, day), part.written);
  };
  return withParts(end, (part) => !isOverwritten(part));
};

/** With the shown values as the written ones: the platform may have adapted them. */
export const asShown = (end: End, feature: Feature): End => ({
  ...seenOf(end),
  parts: end.parts.map((part) => ({ ...part, written: partValue(feature, part) ?? part.written })),
});

/** The feature as it will be after the temporary write. */
export const withoutTemporary = (feature: Feature, end: End): Feature =>
  inForce(end, feature).reduce((shown, part) => withValue(shown, part, part.former), feature);
