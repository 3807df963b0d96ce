import type { Issue } from '../shared/issue.ts';
import { isRecord, jsonObject, parseJson } from '../shared/json.ts';
import type { Constraints } from './constraints.ts';
import { readJsonWeek } from './jsonWeek.ts';
import { CUSTOM } from './profileName.ts';
import { readTextWeek } from './text/weekText.ts';
import { completeWeek, validateWeek } from './validateWeek.ts';
import { changedDays, type Week } from './week.ts';
import type { WrittenWeek } from './writtenWeek.ts';

/** A named week, or some days of it (docs/schedules.md). */
export type Profile = { readonly name: string; readonly week: WrittenWeek };

const isJson = (text: string): boolean => /^\s*[[{]/u.test(text);

/** Reads a week of the settings: text, JSON, or JSON as text. Its places start with `at`. */
export const readStoredWeek = (written: unknown, at: string): WrittenWeek => {
  if (typeof written !== 'string') return readJsonWeek(withNumbers(written), at);
  if (!isJson(written)) return readTextWeek(written, at);
  const json = parseJson(written);
  return json.ok ? readJsonWeek(json.value, at) : { days: new Map(), issues: json.issues };
};

/** The weeks of profiles by name, for browsers: a parser without places of mistakes. Skips invalid ones. */
export const namedWeeks = (profiles: unknown): readonly { readonly name: string; readonly week: Partial<Week> }[] =>
  Object.entries(isRecord(profiles) ? profiles : {}).flatMap(([name, written]) => {
    const isText = typeof written === 'string';
    const week = isText && !isJson(written) ? readTextWeek(written) : readJsonWeek(withNumbers(isText ? jsonObject(written) : written));
    const days = validateWeek(week, {}, undefined);
    return days.ok ? [{ name, week: Object.fromEntries(days.value) }] : [];
  });

export const readProfile = (name: string, written: unknown): Profile => ({
  name,
  week: readStoredWeek(written, `schedules.profiles.${name}`),
});

/** Every rule that the profile breaks for these constraints. A profile with any is not offered. */
export const unfitIssues = ({ week }: Profile, constraints: Constraints): readonly Issue[] => {
  const checked = validateWeek(week, constraints, undefined);
  return checked.ok ? [] : checked.issues;
};

/** The profiles that a schedule with these constraints accepts. */
export const fittingProfiles = (profiles: readonly Profile[], constraints: Constraints): readonly Profile[] =>
  profiles.filter((profile) => unfitIssues(profile, constraints).length === 0);

/** The name of the first accepted profile whose days equal those of the week, else `custom`. */
export const profileOf = (week: Week, profiles: readonly Profile[], constraints: Constraints): string => {
  const found = profiles.find((profile) => {
    const checked = validateWeek(profile.week, constraints, undefined);
    return checked.ok && changedDays(week, completeWeek(checked.value, week)).length === 0;
  });
  return found?.name ?? CUSTOM;
};

// Scalars of the settings are texts, but a position is a number.
const withNumbers = (written: unknown): unknown =>
  JSON.parse(JSON.stringify(written ?? null), (key, value: unknown) =>
    key === 'position' && typeof value === 'string' && /^\d+$/u.test(value) ? Number(value) : value,
  );
