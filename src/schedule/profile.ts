import type { Issue } from '../shared/issue.ts';
import { isRecord, parseJson } from '../shared/json.ts';
import type { Constraints } from './constraints.ts';
import { readJsonWeek } from './jsonWeek.ts';
import { readTextWeek } from './text/weekText.ts';
import { completeWeek, validateWeek } from './validateWeek.ts';
import { changedDays, type Week } from './week.ts';
import type { WrittenWeek } from './writtenWeek.ts';

/** A week, or some of its days, under a name. */
export type Profile = { readonly name: string; readonly week: WrittenWeek };

/** What `S/profile` shows where no profile is in force. */
export const CUSTOM = 'custom';

/** A stored week as the settings have it: text, JSON, or JSON as text. Its places begin with `at`. */
export const readStoredWeek = (written: unknown, at: string): WrittenWeek => {
  if (typeof written !== 'string') return readJsonWeek(withNumbers(written), at);
  if (!/^\s*[[{]/u.test(written)) return readTextWeek(written, at);
  const json = parseJson(written);
  return json.ok ? readJsonWeek(json.value, at) : { days: new Map(), issues: json.issues };
};

export const readProfile = (name: string, written: unknown): Profile => ({
  name,
  week: readStoredWeek(written, `schedules.profiles.${name}`),
});

/** Every rule of the schedule that the profile breaks; it exists only where there is none (CONTRACT §2.2). */
export const unfitIssues = ({ week }: Profile, constraints: Constraints): readonly Issue[] => {
  const checked = validateWeek(week, constraints, undefined);
  return checked.ok ? [] : checked.issues;
};

/** The profiles that a schedule with these constraints can be given. */
export const fittingProfiles = (profiles: readonly Profile[], constraints: Constraints): readonly Profile[] =>
  profiles.filter((profile) => unfitIssues(profile, constraints).length === 0);

/** The name of the first profile that fits and whose days equal those of the week, else `custom`. */
export const profileOf = (week: Week, profiles: readonly Profile[], constraints: Constraints): string => {
  const found = profiles.find((profile) => {
    const checked = validateWeek(profile.week, constraints, undefined);
    return checked.ok && changedDays(week, completeWeek(checked.value, constraints, week)).length === 0;
  });
  return found?.name ?? CUSTOM;
};

// Settings hold every scalar as text; a position is a number.
const withNumbers = (written: unknown): unknown => {
  if (Array.isArray(written)) return written.map(withNumbers);
  if (!isRecord(written)) return written;
  return Object.fromEntries(
    Object.entries(written).map(([key, value]) => [
      key,
      key === 'position' && typeof value === 'string' && /^\d+$/u.test(value) ? Number(value) : withNumbers(value),
    ]),
  );
};
