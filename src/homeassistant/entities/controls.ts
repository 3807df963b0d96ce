import type { Feature, Property } from '../../features/feature.ts';
import { fieldsOf } from '../../features/fields.ts';
import type { Writing } from '../../features/writings.ts';
import type { Language } from '../../language/language.ts';
import { shownStates } from '../../language/names/states.ts';
import { type Shape, unitOf } from '../shape.ts';
import * as template from '../templates.ts';
import { measure } from '../units.ts';
import { type Entity, LONGEST_STATE } from './entity.ts';
import { kindOfWords, selectConfig } from './stateWords.ts';
import { writtenChoices } from './writings.ts';

/** The platform and the specific configuration of a writable property, without topics. */
type Control = Pick<Entity, 'platform' | 'config'>;

// The smallest step that Home Assistant accepts; used if the command has no step.
const FINEST = 0.001;

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const constraintsOf = (writings: readonly Writing[], key: string): readonly unknown[] =>
  writings.map(({ parameter }) => parameter?.constraints[key]);

const numberControl = (feature: Feature, name: string, property: Property, writings: readonly Writing[]): Control | undefined => {
  const min = Math.min(...constraintsOf(writings, 'min').filter(isNumber));
  const max = Math.max(...constraintsOf(writings, 'max').filter(isNumber));
  // Without limits (then they are infinite) Home Assistant uses 0 to 100 and drops every other value.
  if (min >= max) return undefined;
  const steps = constraintsOf(writings, 'stepping').filter(isNumber);
  const { state_class: _, suggested_display_precision: __, ...unit } = measure(unitOf(feature, name, property), feature.name, name);
  return {
    platform: 'number',
    config: {
      ...unit,
      ...{ min, max, step: steps.length > 0 ? Math.max(FINEST, Math.min(...steps)) : FINEST, mode: 'box' },
      value_template: template.VALUE,
    },
  };
};

const selectControl = (feature: Feature, choices: readonly string[], language: Language): Control => ({
  platform: 'select',
  config: selectConfig(shownStates(choices, kindOfWords(feature.name), language)),
});

// A switch needs commands for on and off.
const switchControl = (writings: readonly Writing[]): Control | undefined => {
  const writes = (value: boolean): boolean => writings.some((one) => one.parameter !== undefined || one.value === value);
  if (!writes(true) || !writes(false)) return undefined;
  return { platform: 'switch', config: { payload_on: 'true', payload_off: 'false', value_template: template.VALUE } };
};

/** True for dates and times, which have a pattern. Other texts are names, which are rarely changed. */
const hasPattern = (writings: readonly Writing[]): boolean =>
  constraintsOf(writings, 'sameDayAllowed').some((one) => one !== undefined) ||
  constraintsOf(writings, 'regEx').some((one) => typeof one === 'string' && /\\d|\[0-9\]/.test(one));

/**
 * No `pattern`: an invalid one for browsers or Python stops the entity. The bridge checks the pattern.
 * Undefined for a text that can be too long for a state: the hub would send it back cut.
 */
const textControl = (feature: Feature, name: string, writings: readonly Writing[]): Control | undefined => {
  const isField = fieldsOf(feature).includes(name);
  // Values that need others get no entity, except fields, which wait: a holiday start waits for its end.
  const alone = isField ? writings : writings.filter(({ command }) => command.params.size === 1);
  if (alone.length === 0) return undefined;
  const isShort = isField || hasPattern(alone);
  const longest = Math.max(...constraintsOf(alone, 'maxLength').map((one) => (isNumber(one) ? one : Number.POSITIVE_INFINITY)));
  if (!isShort && (longest < 1 || longest > LONGEST_STATE)) return undefined;
  return {
    platform: 'text',
    config: {
      ...(hasPattern(alone) ? {} : { enabled_by_default: false }),
      ...{ min: 0, max: longest >= 1 && longest < LONGEST_STATE ? Math.floor(longest) : LONGEST_STATE },
      value_template: template.CUT,
    },
  };
};

/** The control of a property, by its shape and commands; undefined if it is read-only. */
export const controlOf = (
  shape: Shape,
  feature: Feature,
  name: string,
  property: Property,
  writings: readonly Writing[],
  language: Language,
): Control | undefined => {
  if (writings.length === 0) return undefined;
  if (shape === 'boolean') return switchControl(writings);
  if (shape !== 'number' && shape !== 'text') return undefined;
  const choices = writtenChoices(writings);
  if (choices.length > 0) return selectControl(feature, choices, language);
  return shape === 'number' ? numberControl(feature, name, property, writings) : textControl(feature, name, writings);
};
