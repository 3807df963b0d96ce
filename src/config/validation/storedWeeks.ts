import { readStoredWeek } from '../../schedule/profile.ts';
import { isProfileName, PROFILE_NAME, profileNameOf } from '../../schedule/profileName.ts';
import { intrinsicIssues } from '../../schedule/validateWeek.ts';
import { type Issue, placeText, untold } from '../../shared/issue.ts';
import { isRecord, type Json } from '../../shared/json.ts';
import { type Check, shown, under, wrong } from './checks.ts';
import type { Problem } from './mistake.ts';
import { inBrackets, rowsOf } from './rows.ts';

/** A name with its written week: text, or JSON in which every scalar is text. */
type StoredWeek = readonly [name: string, week: Json];

const NAMES = 'a name of 1 to 30 lower-case letters, digits, _ and -, except custom and none';

/** Names with valid weeks; whether a week fits a schedule is known only at runtime. */
const checkProfiles: Check = (value, { example }) =>
  Array.isArray(value) && value.every(isPair)
    ? value.flatMap(checkProfile)
    : wrong('type', `${shown(value)} is not a map of names to weeks`, example);

const isPair = (item: unknown): item is readonly [name: string, week: unknown] => Array.isArray(item) && typeof item[0] === 'string';

const checkProfile = ([name, week]: readonly [name: string, week: unknown]): readonly Problem[] => {
  if (!isProfileName(name)) {
    const near = profileNameOf(name);
    return under([name], wrong('name', 'is not a profile name', NAMES, near === undefined ? [] : [near]));
  }
  if (week === null || week === undefined || week === '')
    return under([name], wrong('empty', 'has no week', 'a week, such as daily 06:00-22:00 normal, or JSON'));
  return under([name], intrinsicIssues(readStoredWeek(week, '')).map(toProblem));
};

const toProblem = (issue: Issue): Problem => {
  const { path: place, rule, message, nearest = [] } = issue;
  return {
    path: [],
    issue,
    rule,
    what: place === '' ? message : `${placeText(place)}: ${message}`,
    nearest: untold(nearest, message),
  };
};

/** Names with their values as pairs, in their written order. */
const asPairs = (written: unknown): unknown => {
  const names = inBrackets(written) ?? written;
  return isRecord(names) ? Object.entries(names) : written;
};

/** Builds the row of the setting `schedules.profiles`. */
export const profiles = rowsOf<readonly StoredWeek[]>(
  checkProfiles,
  () => ({ type: ['object', 'string', 'null'], propertyNames: { pattern: PROFILE_NAME.source } }),
  { coerce: asPairs, takesKeys: true },
);
