import { nearestWords } from '../../shared/closestMatch.ts';
import { CodedError, UsageError } from '../../shared/errors.ts';
import { printable } from '../terminalText.ts';
import type { Found } from './retainedSchedules.ts';

/** There is no schedule at all to be shown or written. */
export class NoSchedule extends CodedError<'no_schedule'> {}

const said = ({ device, feature }: Found): string => printable(`  ${device} ${feature}`);

const list = (schedules: readonly Found[]): string => schedules.map(said).join('\n');

const usage = (sentence: string, schedules: readonly Found[]): UsageError =>
  new UsageError('usage', `${printable(sentence)}\n${list(schedules)}`);

/**
 * The schedules that were meant: a device, a feature or both, each in full or a part of it. Without names all. Throws a UsageError that
 * lists what there is, NoSchedule where nothing is.
 */
export const chooseSchedules = (schedules: readonly Found[], names: readonly string[], base: string): readonly Found[] => {
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
    return ofFeature(ofDevice, second);
  }
  // A single word is a device where one is called so, else a feature.
  const exact = schedules.filter(({ device }) => device === first);
  if (exact.length > 0) return exact;
  const byFeature = fitting(schedules, first, ({ feature }) => feature);
  if (byFeature.length > 0) return byFeature;
  if (ofDevice.length > 0) return ofDevice;
  throw unknown('device or feature', first, schedules, ({ device, feature }) => `${device} ${feature}`);
};

/** The one schedule that was meant. Throws as `chooseSchedules`, and where it could be several. */
export const chooseOne = (schedules: readonly Found[], names: readonly string[], base: string): Found => {
  const chosen = chooseSchedules(schedules, names, base);
  const [one, ...others] = chosen;
  if (one && others.length === 0) return one;
  const which = names.length === 0 ? 'There are several schedules' : `${names.join(' ')} could be several schedules`;
  throw usage(`${which}: name one of`, chosen);
};

const ofFeature = (schedules: readonly Found[], word: string): readonly Found[] => {
  const found = fitting(schedules, word, ({ feature }) => feature);
  if (found.length > 0) return found;
  throw unknown('feature', word, schedules, ({ feature }) => feature);
};

/** Those whose name is the word; else those that have its levels in a row, as `circuits.0` in a longer name; else those that hold it anywhere. */
const fitting = (schedules: readonly Found[], word: string, nameOf: (one: Found) => string): readonly Found[] => {
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

const unknown = (what: string, word: string, schedules: readonly Found[], nameOf: (one: Found) => string): UsageError => {
  const [near] = nearestWords(word, [...new Set(schedules.flatMap(({ device, feature }) => [device, feature]))], 1);
  const meant = schedules.filter((one) =>
    near === undefined ? hasLevelNear(nameOf(one), word) : one.device === near || one.feature === near,
  );
  const shown = meant.length > 0 ? meant : schedules;
  return usage(`No ${what} with a schedule is called ${word}; ${meant.length > 0 ? 'perhaps meant' : 'there are'}`, shown);
};

const hasLevelNear = (name: string, word: string): boolean => nearestWords(word.split('.')[0] ?? '', name.split(/[. ]/u), 1).length > 0;
