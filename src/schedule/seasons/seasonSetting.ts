import type { Profile } from '../profile.ts';
import { isProfileName } from '../profileName.ts';
import { printWeek } from '../text/weekText.ts';
import { isDate } from '../zone.ts';
import type { Season, SeasonRule } from './season.ts';

/** Days of outside temperatures to keep for the mean: three, and the values in force before them. */
export const DAYS_TO_KEEP = 5;

/** A schedule that follows seasons: a profile for each, and the rule. Device and feature as in topics. */
export type SeasonSetting = {
  readonly device: string;
  readonly feature: string;
  readonly profiles: Readonly<Record<Season, string>>;
  readonly rule: SeasonRule;
};

/** With the week of each season as text, which a person approves. */
export type SeasonPlan = SeasonSetting & { readonly weeks: Readonly<Record<Season, string>> };

/** The weeks that the seasons write, as text; empty where a profile cannot be read. */
export const weeksOf = ({ profiles: { summer, winter } }: SeasonSetting, profiles: readonly Profile[]): SeasonPlan['weeks'] => {
  const textOf = (wanted: string): string => {
    const profile = profiles.find(({ name }) => name === wanted);
    const days = [...(profile?.week.days ?? [])].map(([day, { drafts }]) => {
      return [day, drafts.map(({ start = '', end = '', mode, position }, index) => ({ start, end, mode, position: position ?? index }))];
    });
    return printWeek(Object.fromEntries(days)) ?? '';
  };
  return { summer: textOf(summer), winter: textOf(winter) };
};

const FORM =
  /^(\S+)\s+([\w.-]+?)\s*:\s*summer\s+(\S+?)\s*,\s*winter\s+(\S+?)\s*,\s*(?:from\s+(\d\d-\d\d)\s+to\s+(\d\d-\d\d)|above\s+(-?\d{1,2}(?:\.\d)?))$/u;

/** Any date of a leap year: `02-29` is valid. */
const isDayOfYear = (text: string): boolean => {
  const [month = 0, day = 0] = text.split('-').map(Number);
  return isDate({ year: 2028, month, day });
};

/** Reads `DEVICE FEATURE: summer NAME, winter NAME, from 05-01 to 09-30` (or `above 16`, °C), or explains. */
export const readSeasonSetting = (text: string): SeasonSetting | string => {
  const [, device, feature, summer = '', winter = '', from, to, above] = FORM.exec(text.trim()) ?? [];
  if (device === undefined || feature === undefined)
    return 'DEVICE FEATURE: summer PROFILE, winter PROFILE, from MM-DD to MM-DD; or above DEGREES instead of the days';
  if (![summer, winter].every(isProfileName))
    return 'profile names after summer and winter, of 1 to 30 lower-case letters, digits, _ and -, except custom and none';
  if (from === undefined || to === undefined)
    return { device, feature, profiles: { summer, winter }, rule: { by: 'outside', limitC: Number(above) } };
  if (![from, to].every(isDayOfYear)) return 'days of the year, such as 05-01';
  return { device, feature, profiles: { summer, winter }, rule: { by: 'dates', from, to } };
};
