import type { Feature } from '../../../features/feature.ts';
import { type Effect, isSamePart, isSameValue, partsOf, partValue, type ValuePart, withValue } from '../../state/valueParts.ts';
import { isChanging, standingOf } from './shown.ts';
import { type End, type EndPart, effectOf, type SentWrite } from './write.ts';

/** A temporary value in force. `unseen`: no read has shown it; these older values may show instead. */
export type PartInForce = EndPart & { readonly unseen?: readonly EndPart[] };

/** The end on a feature; `key` and `command` are those of its newest temporary write. */
export type InForce = Pick<SentWrite, 'key' | 'command'> & Pick<End, 'untilMs'> & { readonly parts: readonly PartInForce[] };

/**
 * The values that a command replaces, by the feature as shown before, without unchanged ones; undefined where
 * a former value is missing and so cannot be restored.
 */
export const replacedBy = (effect: Effect, before: Feature): readonly EndPart[] | undefined => {
  const parts = partsOf(effect).map(({ value: written, ...part }) => ({ ...part, written, former: partValue(before, part) ?? null }));
  return parts.some(({ former }) => former === null) ? undefined : parts.filter(isChanging);
};

/** The part as shown: before a read shows its write, an older temporary value may show, and ends likewise. */
export const asItStands = (part: PartInForce, feature: Feature): PartInForce => {
  if (!part.unseen || standingOf(feature, part) !== 'other') return part;
  const shown = partValue(feature, part);
  return { ...part, ...part.unseen.find(({ written }) => isSameValue(part, shown, written)) };
};

/** The parts with a third value: they were changed elsewhere. */
export const contestedIn = ({ parts }: Pick<InForce, 'parts'>, feature: Feature): readonly PartInForce[] =>
  parts.filter((part) => standingOf(feature, asItStands(part, feature)) === 'other');

/** The end with only these parts; undefined where none is left. */
export const withParts = (end: End, stays: (part: EndPart) => boolean): End | undefined => {
  const parts = end.parts.filter(stays);
  if (parts.length === end.parts.length) return end;
  return parts.length > 0 ? { ...end, parts } : undefined;
};

/** The end after a read has shown it. */
export const seenOf = ({ unseen: _, ...end }: End): End => end;

/** The name of the part in messages. */
export const nameOf = ({ property, day }: EndPart): string => day ?? property;

/**
 * The temporary values in force, by all sent writes, oldest first. Accepted writes count until reads tell.
 */
export const endInForce = (sent: readonly SentWrite[]): InForce | undefined => {
  const writes = sent.filter((one) => isKnown(one) && (one.end || one.over));
  let parts: readonly { readonly part: EndPart; readonly index: number }[] = [];
  for (const [index, write] of writes.entries()) {
    const own = (write.end?.parts ?? []).map((part) => ({ part, index }));
    const left = parts.filter(({ part }) => !own.some((one) => isSamePart(one.part, part)));
    parts = isAwaited(write) ? left.filter(({ part }) => !replaces(write, part, left)) : [...left, ...own];
  }
  const newest = writes[Math.max(...parts.map(({ index }) => index))];
  if (!newest?.end) return undefined;
  const { key, command, end } = newest;
  return { key, command, untilMs: end.untilMs, parts: parts.map(({ part, index }) => partInForce(part, index, writes)) };
};

const partInForce = (part: EndPart, index: number, writes: readonly SentWrite[]): PartInForce => {
  const isSeen = writes[index]?.end?.unseen !== true;
  const inForce = { ...part, former: formerOf(part, writes.slice(0, index), isSeen) };
  if (isSeen) return inForce;
  const older = writes.slice(0, index).flatMap((write, at): PartInForce[] => {
    const below = write.end?.parts.find((one) => isSamePart(one, part));
    return below ? [{ ...below, former: formerOf(below, writes.slice(0, at), write.end?.unseen !== true) }] : [];
  });
  return { ...inForce, unseen: older.toReversed() };
};

/** The end of a carried-out write, with the values to restore. */
export const withFormers = (end: End, older: readonly SentWrite[]): End => ({
  ...end,
  parts: end.parts.map((part) => ({ ...part, former: formerOf(part, older, true) })),
});

/**
 * The value to restore after a temporary one: the value shown before it. If that was temporary too, or of a
 * write that no read has shown, the value before that. A carried-out write proves those accepted before it.
 */
const formerOf = (part: EndPart, older: readonly SentWrite[], isCarriedOut: boolean): EndPart['former'] =>
  older.filter(isKnown).reduceRight((former, write) => {
    const { end, over, change = [] } = write;
    const below = (end?.parts ?? (over && !isCarriedOut && !isAwaited(write) ? change : [])).find((one) => isSamePart(one, part));
    return below && isSameValue(part, former, below.written) ? (below.former ?? former) : former;
  }, part.former);

/** Accepted, or shown by a read. */
const isKnown = ({ state, isPossible }: SentWrite): boolean => !isPossible && (state === 'accepted' || state === 'settled');

/** True where an accepted write over temporary values waits for a read to show it. */
const isAwaited = (write: SentWrite): boolean =>
  write.over === true && isKnown(write) && (write.state === 'accepted' || write.answer === 'open');

/**
 * The end after a newer one was accepted: it gets the newer time, and leaves equal parts to the newer end. A
 * part written `between` them stays: the newer revert may restore only that write's value.
 */
export const followedBy = ({ untilMs, parts }: End, end: End, between: readonly ValuePart[] = []): End | undefined => {
  const isRepeated = (part: EndPart): boolean =>
    !between.some((one) => isSamePart(one, part)) &&
    parts.some(
      (one) => isSamePart(one, part) && isSameValue(part, one.written, part.written) && isSameValue(part, one.former, part.former),
    );
  return withParts({ ...end, untilMs }, (part) => !isRepeated(part));
};

/** The rest of an end after a newer write was carried out; undefined where nothing is left. */
export const withoutReplaced = (end: End, by: SentWrite): End | undefined => {
  const all = end.parts.map((part) => ({ part }));
  return withParts(end, (part) => !replaces(by, part, all));
};

/**
 * True where a write replaces a temporary value: it changed the part, or wrote another value. A write that
 * the device ends itself replaces all parts if it writes a property of one.
 */
const replaces = (by: SentWrite, part: EndPart, all: readonly { readonly part: EndPart }[]): boolean => {
  const effect = effectOf(by);
  if (by.endsItself) return !effect || all.some((one) => effect.values.has(one.part.property));
  if (by.change?.some((one) => isSamePart(one, part))) return true;
  const value = partsOf(effect).find((one) => isSamePart(one, part))?.value;
  return value !== undefined && !isSameValue(part, value, part.written);
};

/** The end with the shown values as written ones: the platform may have adapted them. */
export const asShown = (end: End, feature: Feature): End => ({
  ...seenOf(end),
  parts: end.parts.map((part) => ({ ...part, written: partValue(feature, part) ?? part.written })),
});

/** Makes the revert due again at once; after a `restore` also over the foreign values. */
export const endAgain = ({ untilMs, parts, ...end }: End, { at, purpose, change = [] }: SentWrite): End => ({
  ...end,
  untilMs: untilMs > at ? Math.floor(at / 1000) * 1000 : untilMs,
  parts:
    purpose === 'restore'
      ? parts.map((part) => ({ ...part, written: change.find((one) => isSamePart(one, part))?.former ?? part.written }))
      : parts,
});

/** True where a newer write over temporary values repeats all values: a read that shows it shows both. */
export const isRepeated = (write: SentWrite, by: SentWrite): boolean =>
  write.over === true &&
  write.state === 'settled' &&
  partsOf(effectOf(write)).every((part) =>
    partsOf(effectOf(by)).some((one) => isSamePart(one, part) && isSameValue(part, one.value, part.value)),
  );

/** The feature as it will be after the temporary write. */
export const withoutTemporary = (feature: Feature, { parts }: Pick<InForce, 'parts'>): Feature =>
  parts
    .map((part) => asItStands(part, feature))
    .filter((part) => standingOf(feature, part) === 'written')
    .reduce((shown, part) => withValue(shown, part, part.former), feature);
