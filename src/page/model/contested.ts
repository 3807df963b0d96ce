import { DAYS, type Day } from '../../schedule/week.ts';
import { isRecord, jsonObject } from '../../shared/json.ts';

/** A part of a temporary write that was since changed elsewhere: a day, or a property with its value now. */
export type ContestedPart = { readonly day: Day } | { readonly property: string; readonly shown: unknown };

/** Parses the topic `until/conflict`. */
export const contestedIn = (payload: string): readonly ContestedPart[] => {
  const parts = jsonObject(payload)?.['parts'];
  return (Array.isArray(parts) ? parts.filter(isRecord) : []).map(({ property, day, shown }) => {
    const known = DAYS.find((one) => one === day);
    return known ? { day: known } : { property: String(property), shown };
  });
};
