import { nearestWords } from '../../shared/closestMatch.ts';
import { CodedError, UsageError } from '../../shared/errors.ts';
import { printable } from '../terminal/terminalText.ts';
import type { RetainedSchedule } from './retainedSchedules.ts';

/** The broker retains no schedule. */
export class NoSchedule extends CodedError<'no_schedule'> {}

/** The sentence above a list of schedules. */
const usage = (sentence: string, schedules: readonly RetainedSchedule[]): UsageError =>
  new UsageError('usage', [sentence, ...schedules.map(({ device, feature }) => `  ${device} ${feature}`)].map(printable).join('\n'));

/**
 * The schedules with these names: a device, a feature or both, each in full or a part of it. All schedules without names. Throws a
 * UsageError that lists the schedules, and NoSchedule where there are none.
 */
export const chooseSchedules = (
  schedules: readonly RetainedSchedule[],
  names: readonly string[],
  base: string,
): readonly RetainedSchedule[] => {
  if (schedules.length === 0) {
    throw new NoSchedule(
      'no_schedule',
      `No schedule is retained below ${base} on this broker: is mqtt.base the one of the bridge, has it read its devices (heating2mqtt check), and do the settings choose a feature with a schedule?`,
    );
  }
  const [first, second] = names;
  if (first === undefined) return schedules;
  const ofDevice = fitting(schedules, first, ({ device }) => device);
  if (second !== undefined) {
    if (ofDevice.length === 0) throw unknown('device', first, schedules, ({ device }) => device);
    const ofFeature = fitting(ofDevice, second, ({ feature }) => feature);
    if (ofFeature.length === 0) throw unknown('feature', second, ofDevice, ({ feature }) => feature);
    return ofFeature;
  }
  // A single word is the name of a device if one has it, else of a feature.
  const exact = schedules.filter(({ device }) => device === first);
  if (exact.length > 0) return exact;
  const byFeature = fitting(schedules, first, ({ feature }) => feature);
  if (byFeature.length > 0) return byFeature;
  if (ofDevice.length > 0) return ofDevice;
  throw unknown('device or feature', first, schedules, ({ device, feature }) => `${device} ${feature}`);
};

/** The one schedule with these names. Throws as `chooseSchedules`, and where there are several. */
export const chooseOne = (schedules: readonly RetainedSchedule[], names: readonly string[], base: string): RetainedSchedule => {
  const chosen = chooseSchedules(schedules, names, base);
  const [one, ...others] = chosen;
  if (one && others.length === 0) return one;
  const which = names.length === 0 ? 'There are several schedules' : `${names.join(' ')} could be several schedules`;
  throw usage(`${which}: name one of`, chosen);
};

/** The schedules whose name is the word; else those that contain its levels, as `circuits.0`; else those that contain it anywhere. */
const fitting = (
  schedules: readonly RetainedSchedule[],
  word: string,
  nameOf: (one: RetainedSchedule) => string,
): readonly RetainedSchedule[] => {
  const asked = word.toLowerCase().replaceAll('/', '.');
  const tests: readonly ((name: string) => boolean)[] = [
    (name) => name === asked,
    (name) => `.${name}.`.includes(`.${asked}.`),
    (name) => name.includes(asked),
  ];
  for (const test of tests) {
    const found = schedules.filter((one) => test(nameOf(one).toLowerCase()));
    if (found.length > 0) return found;
  }
  return [];
};

const unknown = (
  what: string,
  word: string,
  schedules: readonly RetainedSchedule[],
  nameOf: (one: RetainedSchedule) => string,
): UsageError => {
  const [near] = nearestWords(word, [...new Set(schedules.flatMap(({ device, feature }) => [device, feature]))], 1);
  const meant = schedules.filter((one) =>
    near === undefined ? hasLevelNear(nameOf(one), word) : one.device === near || one.feature === near,
  );
  const shown = meant.length > 0 ? meant : schedules;
  return usage(`No ${what} with a schedule is called ${word}; ${meant.length > 0 ? 'perhaps meant' : 'there are'}`, shown);
};

const hasLevelNear = (name: string, word: string): boolean => nearestWords(word.split('.')[0] ?? '', name.split(/[. ]/u), 1).length > 0;
