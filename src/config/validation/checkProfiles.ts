import { CUSTOM, readStoredWeek } from '../../schedule/profile.ts';
import { issuesInItself } from '../../schedule/validateWeek.ts';
import type { Issue } from '../../shared/issue.ts';
import type { Json } from '../../shared/json.ts';
import { type Check, type Found, shown } from './checks.ts';

/** A name with its week as it was written: text, or JSON in which every scalar is text. */
export type StoredWeek = readonly [name: string, week: Json];

const NAME = /^[a-z0-9_-]{1,30}$/u;
const TAKEN: readonly string[] = [CUSTOM, 'none'];
const NAMES = 'a name of 1 to 30 small letters, digits, _ and -, neither custom nor none';

/** Names with weeks that are right in themselves; whether one fits a schedule is known only at run time. */
export const checkProfiles: Check = (value, { example }) =>
  Array.isArray(value)
    ? value.flatMap((pair: unknown) => checkProfile(Array.isArray(pair) ? pair : []))
    : [{ rule: 'type', what: `${shown(value)} takes names with weeks`, ...(example === undefined ? {} : { allowed: example }) }];

const checkProfile = ([name, week]: readonly unknown[]): readonly Found[] => {
  const path = [String(name)];
  if (typeof name !== 'string' || !NAME.test(name) || TAKEN.includes(name)) {
    return [{ path, rule: 'name', what: 'is no name for a profile', allowed: NAMES }];
  }
  if (week === null || week === undefined || week === '') {
    return [{ path, rule: 'empty', what: 'has no week', allowed: 'a week, as daily 06:00-22:00 normal, or JSON' }];
  }
  return issuesInItself(readStoredWeek(week, '')).map((issue) => toFound(path, issue));
};

const toFound = (path: readonly string[], { path: place, rule, message, nearest = [] }: Issue): Found => ({
  path,
  rule,
  what: place === '' ? message : `at ${place} ${message}`,
  ...(nearest.length > 0 ? { nearest: nearest.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))) } : {}),
});
