import type { Feature, Json } from '../../../features/feature.ts';
import { readWeek } from '../../../schedule/readWeek.ts';
import { DAYS, type Day } from '../../../schedule/week.ts';
import { isSameValue, partsOf, partValue, type ValuePart } from '../../state/valueParts.ts';
import type { ChangePart } from './write.ts';

type Written = ValuePart & { readonly value: Json };

/** True for a day of a week whose former entries are known: an undo can restore them. */
export const isDayPart = ({ day, former }: ChangePart): boolean => day !== undefined && former !== undefined;

/** Values by property; for a week by property and day. */
export type Values = Readonly<Record<string, Json>>;

/**
 * The changes that the `own` part of these values makes to the feature as shown `before`; `lasting`: the same
 * without its temporary write. Undefined where nothing changes.
 */
export const changeOf = (written: readonly Written[], own: Own, before: Feature, lasting: Feature): readonly ChangePart[] | undefined => {
  const parts = written.filter(isOwn(own)).flatMap(({ value, ...part }): ChangePart[] => {
    const [former, under] = [partValue(before, part), partValue(lasting, part)];
    if (isSameValue(part, former, value)) return [];
    return [{ ...part, written: value, former, lasting: isSameValue(part, under, former) ? undefined : under }];
  });
  return parts.length > 0 ? parts : undefined;
};

/** The part of a command that one write owns: these days and properties; everything where undefined. */
export type Own = { readonly days?: readonly Day[] | undefined; readonly properties?: readonly string[] | undefined };

const isOwn =
  ({ days, properties }: Own) =>
  ({ property, day }: ValuePart): boolean =>
    (day === undefined || days === undefined || days.includes(day)) && (properties?.includes(property) ?? true);

/** The change seen after the write: adapted values, or unpredictable ones. Arguments as `changeOf`. */
export const seenChange = (shows: Feature | undefined, own: Own, before: Feature, lasting: Feature): readonly ChangePart[] | undefined =>
  shows && changeOf(valuesIn(before, shows), own, before, lasting);

/** The values of the feature; a week by day, if it was one before too. */
const valuesIn = (before: Feature, after: Feature): readonly Written[] =>
  [...after.properties].flatMap(([property, { value }]): readonly Written[] => {
    if (value === undefined) return [];
    const isWeek = readWeek(before.properties.get(property)?.value).ok && readWeek(value).ok;
    return partsOf({ values: new Map([[property, value]]), ...(isWeek ? { days: DAYS } : {}) });
  });

/** The values before or after a change. */
export const valuesOf = (change: readonly ChangePart[], which: 'former' | 'written'): Values => {
  const values: Record<string, Json> = {};
  for (const { property, day, ...part } of change) {
    const value = part[which];
    if (value === undefined) continue;
    values[property] = day === undefined ? value : { ...(values[property] as Values | undefined), [day]: value };
  }
  return values;
};
