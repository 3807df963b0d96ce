import type { Feature, Json } from '../../../features/feature.ts';
import { isSamePart, isSameValue, partsOf, partValue, type Standing, standingIn, type ValuePart } from '../../state/valueParts.ts';
import { type End, type EndPart, effectOf, type SentWrite } from './write.ts';

/** The writes that one command carries out. */
export type CommandWrites = readonly SentWrite[];

/** What a read shows of a command: its values, or those that the platform made of them; undefined if neither. */
export type ReadOutcome = 'shown' | 'adapted' | undefined;

/** The outcomes of these commands to one feature, oldest first, by a read of it. */
export const outcomesIn = (feature: Feature, commands: readonly CommandWrites[]): readonly ReadOutcome[] => {
  const [first = []] = commands;
  // The last of several commands may restore the first value, so former values prove nothing yet.
  if (commands.length > 1 && showsBefore(feature, first)) return [];
  const found: CommandWrites[] = [];
  for (const command of commands.toReversed()) {
    // The platform keeps the order: a shown later command proves earlier accepted ones on the same parts.
    // For a lost one, values from before prove nothing: a lagging record shows them too.
    const isLost = command.some(({ isPossible }) => isPossible);
    if (isLost ? shows(feature, command) && !showsBefore(feature, command) : shows(feature, command, found.flat())) found.push(command);
  }
  return commands.map((command) => {
    if (found.includes(command)) return 'shown';
    return command.some(({ adapted }) => adapted) && !showsBefore(feature, command) ? 'adapted' : undefined;
  });
};

/** True where the feature shows what the command changes, except for parts that `later` writes have overwritten. */
export const shows = (feature: Feature, command: CommandWrites, later: CommandWrites = []): boolean => {
  const again = later.flatMap(changedParts);
  // The effect cannot be predicted, or the write is closed.
  if (!command.some(effectOf)) return false;
  return command
    .flatMap(changedParts)
    .every((part) => again.some((one) => isSamePart(one, part)) || isSameValue(part, partValue(feature, part), part.value));
};

/** The written values; of a week only the days that change. Of a revert all: the platform may lag. */
const changedParts = ({ values, days, changed, kept, purpose }: SentWrite): readonly (ValuePart & { readonly value: Json })[] => {
  const isRevert = purpose === 'revert' || purpose === 'restore';
  return partsOf(effectOf({ values, days: days && !isRevert ? (changed ?? kept ?? days) : days }));
};

/** True where the feature shows only values from before the command. */
const showsBefore = (feature: Feature, command: CommandWrites): boolean =>
  command.flatMap(({ before = [] }) => before).every((part) => standingIn(feature, part, null, part.values) === 'before');

/** What the feature shows of the written properties: the value of a single one. */
export const shownValues = (feature: Feature, command: CommandWrites): Json => {
  const names = new Set(command.flatMap(({ values = {} }) => Object.keys(values)));
  const shown = [...names].map((name) => [name, feature.properties.get(name)?.value ?? null] as const);
  return shown.length === 1 ? (shown[0]?.[1] ?? null) : Object.fromEntries(shown);
};

/** True where the feature shows the write, and could not have shown it before. */
export const isShown = (write: SentWrite, feature: Feature): boolean =>
  partsOf(effectOf(write)).every((part) => standingIn(feature, part, part.value, beforeOf(write, part)) === 'written');

/** True where a read that shows the write proves that it was carried out. */
export const isTelling = (write: SentWrite): boolean => partsOf(effectOf(write)).every((part) => tells(write, part, part.value));

/** True where the feature shows the temporary values, except those that were changed elsewhere. */
export const isEndShown = (write: SentWrite, { parts }: End, feature: Feature): boolean => {
  const standings = standingsOf(
    parts.filter((part) => tells(write, part, part.written)),
    feature,
  );
  return standings.includes('written') && !standings.includes('before');
};

/** True where the feature no longer shows any value from before the adapted temporary write. */
export const isAdaptedShown = ({ parts }: End, feature: Feature): boolean => !standingsOf(parts, feature).includes('before');

/** What the feature shows of a temporary value: `before` is the replaced one, and no value another one. */
export const standingOf = (feature: Feature, part: EndPart): Exclude<Standing, 'none'> => {
  const standing = standingIn(feature, part, part.written, [part.former]);
  return standing === 'none' ? 'other' : standing;
};

/** True where the write changes the part; an unchanged part proves nothing. */
export const isChanging = (part: EndPart): boolean => !isSameValue(part, part.written, part.former);

const standingsOf = (parts: readonly EndPart[], feature: Feature): readonly Standing[] =>
  parts.filter(isChanging).map((part) => standingOf(feature, part));

const tells = (write: SentWrite, part: ValuePart, written: Json): boolean =>
  !beforeOf(write, part).some((value) => isSameValue(part, value, written));

/** Values of the part that prove nothing: until the write is settled, those that may have been shown before it. */
const beforeOf = ({ state, before = [] }: SentWrite, part: ValuePart): readonly Json[] =>
  (state === 'settled' ? undefined : before.find((one) => isSamePart(one, part))?.values) ?? [];
