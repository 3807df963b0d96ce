import type { Feature } from '../../../features/feature.ts';
import { type Effect, isSamePart, isSameValue, partsOf, partValue, type ValuePart, withValue } from '../../state/valueParts.ts';
import { type End, type EndPart, effectOf, type SentWrite } from './write.ts';

/** A temporary value in force. `unseen`: no read has shown it yet, and the values of these older ones may show instead. */
export type PartInForce = EndPart & { readonly unseen?: readonly EndPart[] };

/** What ends on a feature, and when; `key` and `command` are those of the newest of its temporary writes. */
export type InForce = Pick<SentWrite, 'key' | 'command'> & Pick<End, 'untilMs'> & { readonly parts: readonly PartInForce[] };

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

/** The part as the feature shows it: before a read has shown its write, an older temporary value may show, and ends as that does. */
export const asItStands = (part: PartInForce, feature: Feature): PartInForce => {
  if (!part.unseen || standingOf(feature, part) !== 'other') return part;
  const shown = partValue(feature, part);
  return { ...part, ...part.unseen.find(({ written }) => isSameValue(part, shown, written)) };
};

/** The parts that the feature shows with a third value: somebody else has changed them since. */
export const contestedIn = ({ parts }: Pick<InForce, 'parts'>, feature: Feature): readonly PartInForce[] =>
  parts.filter((part) => standingOf(feature, asItStands(part, feature)) === 'other');

/** The end with these of its parts; undefined where it has none. */
export const withParts = (end: End, stays: (part: EndPart) => boolean): End | undefined => {
  const parts = end.parts.filter(stays);
  if (parts.length === end.parts.length) return end;
  return parts.length > 0 ? { ...end, parts } : undefined;
};

/** The same after a read has shown it. */
export const seenOf = ({ unseen: _, ...end }: End): End => end;

/** The name of the part in messages. */
export const nameOf = ({ property, day }: EndPart): string => day ?? property;

/** The temporary values in force on a feature, by all that was sent to it, the oldest first. An accepted write counts until reads tell. */
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

/** The end of a write that was carried out, with what comes back after it. */
export const withFormers = (end: End, older: readonly SentWrite[]): End => ({
  ...end,
  parts: end.parts.map((part) => ({ ...part, former: formerOf(part, older, true) })),
});

/**
 * What comes back after a temporary value: what was shown before it, and where that was a temporary value too, or that of a write which no
 * read has shown, what was shown before that one. What was carried out proves what was accepted before it.
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

/** True where the feature shows these temporary values, but for those that somebody else has changed since. */
export const isCarriedOut = (parts: readonly EndPart[], feature: Feature): boolean => {
  const standings = standingsOf(parts, feature);
  return standings.includes('written') && !standings.includes('former');
};

/** True where the feature shows no value any more from before a temporary write that the platform adapted. */
export const isAdaptedShown = ({ parts }: End, feature: Feature): boolean => !standingsOf(parts, feature).includes('former');

const standingsOf = (parts: readonly EndPart[], feature: Feature): readonly ('written' | 'former' | 'other')[] =>
  parts.filter(isChanging).map((part) => standingOf(feature, part));

/**
 * The end after a newer one was accepted, which sets the time of all; what that writes likewise is left to it. Where one `between` them had
 * written it, the newer one may take back that one only, and then this one.
 */
export const followedBy = ({ untilMs, parts }: End, end: End, between: readonly ValuePart[] = []): End | undefined => {
  const isRepeated = (part: EndPart): boolean =>
    !between.some((one) => isSamePart(one, part)) &&
    parts.some(
      (one) => isSamePart(one, part) && isSameValue(part, one.written, part.written) && isSameValue(part, one.former, part.former),
    );
  return withParts({ ...end, untilMs }, (part) => !isRepeated(part));
};

/** The rest of a temporary write after a newer write was carried out; undefined where nothing is left. */
export const withoutReplaced = (end: End, by: SentWrite): End | undefined => {
  const all = end.parts.map((part) => ({ part }));
  return withParts(end, (part) => !replaces(by, part, all));
};

/**
 * True where the write has taken the place of a temporary value: it changed it, or wrote another value. What the device ends by itself takes
 * the place of all where it writes a property of one.
 */
const replaces = (by: SentWrite, part: EndPart, all: readonly { readonly part: EndPart }[]): boolean => {
  const effect = effectOf(by);
  if (by.endsItself) return !effect || all.some((one) => effect.values.has(one.part.property));
  if (by.change?.some((one) => isSamePart(one, part))) return true;
  const value = partsOf(effect).find((one) => isSamePart(one, part))?.value;
  return value !== undefined && !isSameValue(part, value, part.written);
};

/** With the shown values as the written ones: the platform may have adapted them. */
export const asShown = (end: End, feature: Feature): End => ({
  ...seenOf(end),
  parts: end.parts.map((part) => ({ ...part, written: partValue(feature, part) ?? part.written })),
});

/** The return is tried again at once, also over what somebody else has written where it was to go over that. */
export const endAgain = ({ untilMs, parts, ...end }: End, { at, purpose, change = [] }: SentWrite): End => ({
  ...end,
  untilMs: untilMs > at ? Math.floor(at / 1000) * 1000 : untilMs,
  parts:
    purpose === 'restore'
      ? parts.map((part) => ({ ...part, written: change.find((one) => isSamePart(one, part))?.former ?? part.written }))
      : parts,
});

/** True where a newer write has all values of an older one over the temporary values: a read that shows that shows this one, too. */
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
