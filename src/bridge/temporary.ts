import type { Feature, Json } from '../features/feature.ts';
import { type Day, readWeek, sameDay } from '../schedule/week.ts';
import { same } from './confirm.ts';
import type { Effect } from './evaluate.ts';

/** One value that was replaced for a time: of a property, or of one day of its week. */
export type Part = {
  readonly property: string;
  readonly day?: Day;
  readonly written: Json;
  readonly former: Json;
};

/** What was written on one feature and ends by itself. */
export type Temporary = {
  /** `deviceKey` */
  readonly device: string;
  readonly feature: string;
  /** The command that wrote it. */
  readonly command: string;
  /** Epoch milliseconds, whole seconds. */
  readonly untilMs: number;
  readonly parts: readonly Part[];
};

/**
 * What a command replaces on the feature as it was shown before, without what it leaves as it was; undefined where a value was not there,
 * so that it cannot come back.
 */
export const replacedBy = ({ values, days }: Effect, before: Feature): readonly Part[] | undefined => {
  const parts = [...values].flatMap(([property, written]): readonly (Part | undefined)[] => {
    const former = before.properties.get(property)?.value;
    if (former === undefined || former === null) return [undefined];
    return days ? days.map((day) => dayPart(property, day, written, former)) : [{ property, written, former }];
  });
  const known = parts.filter((part) => part !== undefined);
  if (known.length < parts.length) return undefined;
  return known.filter((part) => !isEqual(part, part.written, part.former));
};

const dayPart = (property: string, day: Day, written: Json, former: Json): Part | undefined => {
  const [to, from] = [entriesOf(written, day), entriesOf(former, day)];
  return to === undefined || from === undefined ? undefined : { property, day, written: to, former: from };
};

const entriesOf = (week: Json, day: Day): Json | undefined => {
  const read = readWeek(week);
  return read.ok ? read.value[day].map(({ start, end, mode, position }) => ({ start, end, mode, position })) : undefined;
};

/** The feature's value of a part, now. */
const shownOf = (feature: Feature, { property, day }: Part): Json | undefined => {
  const value = feature.properties.get(property)?.value;
  return value === undefined || day === undefined ? value : entriesOf(value, day);
};

const isEqual = (part: Part, a: Json | undefined, b: Json): boolean => {
  if (part.day === undefined || a === undefined) return same(a, b);
  const [left, right] = [a, b].map((entries) => readWeek({ [part.day ?? 'mon']: entries }));
  return left?.ok === true && right?.ok === true && sameDay(left.value[part.day], right.value[part.day]);
};

/** `written` while the feature shows it, `former` where it shows again what was replaced, `other` where somebody changed it. */
export const standingOf = (feature: Feature, part: Part): 'written' | 'former' | 'other' => {
  const shown = shownOf(feature, part);
  if (isEqual(part, shown, part.former)) return 'former';
  return isEqual(part, shown, part.written) ? 'written' : 'other';
};

/** How people call the part. */
export const nameOf = ({ property, day }: Part): string => day ?? property;

const isSamePart = (a: Part, b: Part): boolean => a.property === b.property && a.day === b.day;

/**
 * A newer temporary write takes the place of the older on the feature (as shown before the newer): all that either wrote, with what was
 * there before the first. What somebody else has changed since the older is left to them.
 */
export const laidOver = (older: Temporary | undefined, newer: Temporary, before: Feature): Temporary => {
  const still = (older?.parts ?? []).filter((part) => standingOf(before, part) === 'written');
  const parts = newer.parts.map((part) => ({ ...part, former: still.find((one) => isSamePart(one, part))?.former ?? part.former }));
  return { ...newer, parts: [...still.filter((one) => !parts.some((part) => isSamePart(one, part))), ...parts] };
};

/** What is left of it after an ordinary write with this effect, which may write some of it as it is; undefined where that is nothing. */
export const withoutWritten = (temporary: Temporary, { values, days }: Effect): Temporary | undefined => {
  const isOverwritten = (part: Part): boolean => {
    const { property, day } = part;
    const value = values.get(property);
    if (value === undefined || (day !== undefined && days?.includes(day) === false)) return false;
    return !isEqual(part, day === undefined ? value : entriesOf(value, day), part.written);
  };
  const parts = temporary.parts.filter((part) => !isOverwritten(part));
  if (parts.length === temporary.parts.length) return temporary;
  return parts.length > 0 ? { ...temporary, parts } : undefined;
};

/** With what the feature shows as what was written: the platform may have adapted it. */
export const asShown = (temporary: Temporary, feature: Feature): Temporary => ({
  ...temporary,
  parts: temporary.parts.map((part) => ({ ...part, written: shownOf(feature, part) ?? part.written })),
});
