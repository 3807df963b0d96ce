import { nearestWords } from '../../shared/closestMatch.ts';
import { CodedError, UsageError } from '../../shared/errors.ts';
import { printable } from '../../shared/log.ts';
import type { RetainedSchedule, ScheduleName } from './retainedSchedules.ts';

export class NoSchedule extends CodedError<'no_schedule'> {}

/** The sentence above a list of schedules. */
const usage = (sentence: string, schedules: readonly RetainedSchedule[]): UsageError =>
  new UsageError('usage', [sentence, ...schedules.map(({ device, feature }) => `  ${device} ${feature}`)].map(printable).join('\n'));

/**
 * The schedules with these names: a device, a feature or both, each in full or in part. Without names, all.
 * Throws a UsageError that lists the schedules, and NoSchedule if there are none.
 */
export const chooseSchedules = (
  schedules: readonly RetainedSchedule[],
  names: readonly string[],
  base: string,
): readonly RetainedSchedule[] => {
  if (schedules.length === 0) {
    throw new NoSchedule(
      'no_schedule',
      `The broker has no schedule below ${base}. Possible reasons: mqtt.base differs from that of the bridge; this user may not read there, or the bridge has not read its devices yet (heating2mqtt check tests both); the settings choose no feature with a schedule.`,
    );
  }
  const [first, second] = names;
  if (first === undefined) return schedules;
  const ofDevice = fitting(schedules, first, 'device');
  if (second !== undefined) {
    if (ofDevice.length === 0) throw unknown(first, schedules, 'device');
    const ofFeature = fitting(ofDevice, second, 'feature');
    if (ofFeature.length === 0) throw unknown(second, ofDevice, 'feature');
    return ofFeature;
  }
  // A single word names a device if one matches, else a feature.
  const ofThisDevice = schedules.filter(({ device }) => device === first);
  const found = [ofThisDevice, fitting(schedules, first, 'feature'), ofDevice].find((some) => some.length > 0);
  if (!found) throw unknown(first, schedules, 'device', 'feature');
  return found;
};

/** The one schedule with these names. Throws like `chooseSchedules`, and if several match. */
export const chooseOne = (schedules: readonly RetainedSchedule[], names: readonly string[], base: string): RetainedSchedule => {
  const chosen = chooseSchedules(schedules, names, base);
  const [one, ...others] = chosen;
  if (one && others.length === 0) return one;
  const which = names.length === 0 ? 'There are several schedules' : `${names.join(' ')} matches several schedules`;
  throw usage(`${which}; name one of these:`, chosen);
};

/** Schedules named exactly `word`; else with its levels (`circuits.0`); else with its text anywhere. */
const fitting = (schedules: readonly RetainedSchedule[], word: string, key: keyof ScheduleName): readonly RetainedSchedule[] => {
  const asked = word.toLowerCase().replaceAll('/', '.');
  const tests: readonly ((name: string) => boolean)[] = [
    (name) => name === asked,
    (name) => `.${name}.`.includes(`.${asked}.`),
    (name) => name.includes(asked),
  ];
  const found = tests.map((test) => schedules.filter((one) => test(one[key].toLowerCase())));
  return found.find((some) => some.length > 0) ?? [];
};

const unknown = (word: string, schedules: readonly RetainedSchedule[], ...keys: readonly (keyof ScheduleName)[]): UsageError => {
  const [near] = nearestWords(word, [...new Set(schedules.flatMap(({ device, feature }) => [device, feature]))], 1);
  const meant = schedules.filter((one) =>
    near === undefined ? keys.some((key) => hasLevelNear(one[key], word)) : one.device === near || one.feature === near,
  );
  const shown = meant.length > 0 ? meant : schedules;
  return usage(`No ${keys.join(' or ')} with a schedule has the name ${word}; ${meant.length > 0 ? 'did you mean' : 'available'}:`, shown);
};

const hasLevelNear = (name: string, word: string): boolean => nearestWords(word.split('.')[0] ?? '', name.split(/[. ]/u), 1).length > 0;
