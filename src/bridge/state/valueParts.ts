import type { Feature, Json } from '../../features/feature.ts';
import { isSame } from '../../features/propertyCommands.ts';
import { readDay, readWeek } from '../../schedule/readWeek.ts';
import { DAYS, type Day, sameDay } from '../../schedule/week.ts';

/** One value of a feature: of a property, or of one day of the week that it holds. */
export type ValuePart = { readonly property: string; readonly day?: Day | undefined };

/** What the platform will show after a write: whole values, and for a week the days that were written. */
export type Effect = { readonly values: ReadonlyMap<string, Json>; readonly days?: readonly Day[] };

const NO_EFFECT: Effect = { values: new Map() };

/** The entries of one day as they are sent; undefined where the value is no week. */
export const entriesOf = (week: Json | undefined, day: Day): Json | undefined => {
  const read = readWeek(week);
  return read.ok ? read.value[day] : undefined;
};

/** The parts of an effect; none where it cannot be predicted. */
export const partsOf = ({ values, days }: Effect = NO_EFFECT): readonly (ValuePart & { readonly value: Json })[] =>
  [...values].flatMap(([property, value]) =>
    days
      ? DAYS.filter((day) => days.includes(day)).map((day) => ({ property, day, value: entriesOf(value, day) ?? [] }))
      : [{ property, value }],
  );

/** The value that the feature has of a part. */
export const partValue = (feature: Feature | undefined, { property, day }: ValuePart): Json | undefined => {
  const value = feature?.properties.get(property)?.value;
  return value === undefined || day === undefined ? value : entriesOf(value, day);
};

/** True where both are the same value of the part. */
export const isSameValue = ({ day }: ValuePart, a: Json | undefined, b: Json | undefined): boolean => {
  if (a === b || a === undefined || b === undefined) return a === b;
  if (day === undefined) return isSame(a, b);
  const [left, right] = [readDay(a), readDay(b)];
  return left.ok && right.ok && sameDay(left.value, right.value);
};

export const isSamePart = (a: ValuePart, b: ValuePart): boolean => a.property === b.property && a.day === b.day;

/**
 * What a read shows of a written part. `before`: a value from before the write, which proves nothing, even if
 * it equals the written one. `other`: a third value, such as an edit in the app. `none`: no value.
 */
export type Standing = 'before' | 'written' | 'other' | 'none';

/** `before`: all values that may have been shown before the write. */
export const standingIn = (feature: Feature, part: ValuePart, written: Json, before: readonly Json[]): Standing => {
  const shown = partValue(feature, part);
  if (shown === undefined) return 'none';
  if (before.some((value) => isSameValue(part, shown, value))) return 'before';
  return isSameValue(part, shown, written) ? 'written' : 'other';
};

/** The feature with another value of a part; a property that the feature does not have stays missing. */
export const withValue = (feature: Feature, { property, day }: ValuePart, value: Json): Feature => {
  const known = feature.properties.get(property);
  if (!known) return feature;
  const week = known.value;
  const isWeek = typeof week === 'object' && week !== null && !Array.isArray(week);
  const next = day === undefined ? value : { ...(isWeek ? week : {}), [day]: value };
  return { ...feature, properties: new Map(feature.properties).set(property, { ...known, value: next }) };
};
