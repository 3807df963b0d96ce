import { isPreset, modeFeature } from '../../features/composites/climate.ts';
import { MODES, wordOf } from '../../features/composites/climateMode.ts';
import type { Composite, Features, Part } from '../../features/composites/composite.ts';
import { compositesOf } from '../../features/composites/compositesOf.ts';
import { programsOf } from '../../features/composites/program.ts';
import { WATER_MODE, WATER_MODES, WATER_TARGET } from '../../features/composites/waterHeater.ts';
import type { Feature } from '../../features/feature.ts';
import { choicesOf, limitsOf } from '../../features/writings.ts';
import { featureTopic, propertyTopic } from '../../topics/topicNames.ts';
import { partKey } from '../ids.ts';
import { ownLabel, thermostatLabelOf } from '../names.ts';
import { rankOf } from '../rank.ts';
import * as template from '../templates.ts';
import type { Config, Context, Entity } from './entity.ts';
import { presetWords } from './stateWords.ts';

/** Per kind: the commands that write a mode and a target, and the default words of a mode. */
const KINDS = {
  climate: { icon: 'mdi:radiator', writesMode: /^setMode$/, writesTarget: /^(?:setTemperature|activate)$/, words: MODES },
  water_heater: { icon: 'mdi:water-boiler', writesMode: /^set/, writesTarget: /^set/, words: WATER_MODES },
} as const;

// The hubs' default limits are in °F or too narrow.
const WATER_LIMITS = { min: 10, max: 60 };

const allows = ({ isAllowed }: Context, features: readonly (Feature | undefined)[], command: RegExp): boolean =>
  features.some((feature) =>
    [...(feature?.commands.keys() ?? [])].some((name) => command.test(name) && isAllowed(feature?.name ?? '', name)),
  );

const limitsConfig = ({ kind, parts, limits }: Composite): Config => {
  const fallback = kind === 'climate' ? undefined : WATER_LIMITS;
  const { min = fallback?.min, max = fallback?.max } = limits;
  if (parts.has('target') && min !== undefined && max !== undefined && min < max) return { min_temp: min, max_temp: max };
  return fallback ? { min_temp: fallback.min, max_temp: fallback.max } : {};
};

/** The humidity of a circuit or room with a humidity sensor. */
const humidityConfig = (context: Context, features: Features, scope: string): Config => {
  const name = `${scope}.sensors.humidity`;
  if (features.get(name)?.properties.has('value') !== true) return {};
  const topic = propertyTopic(context.base, context.device, name, 'value');
  return { current_humidity_topic: topic, current_humidity_template: template.VALUE };
};

/** The modes that can be shown, also those that cannot be written: hubs ignore any other. */
const shownModes = ({ kind, modes }: Composite, choices: readonly string[]): readonly string[] =>
  kind === 'climate' ? MODES.filter((word) => modes.includes(word) || choices.some((choice) => wordOf(choice) === word)) : modes;

const configOf = (context: Context, features: Features, composite: Composite): Config => {
  const { kind, scope, parts } = composite;
  const { icon, writesMode, writesTarget, words } = KINDS[kind];
  const isClimate = kind === 'climate';
  const topic = (part: Part): string => featureTopic(context.base, context.device, composite.name, part);
  const command = (key: string, part: Part, isOpen: boolean): Config => (isOpen ? { [key]: `${topic(part)}/set` } : {});
  const mode = features.get(isClimate ? modeFeature(scope) : WATER_MODE);
  const choices = mode ? choicesOf(mode, 'value') : [];
  const modes = choices.length > 0 ? shownModes(composite, choices) : words;
  const programs = programsOf(features, scope);
  const targets = isClimate ? programs : [features.get(WATER_TARGET)];
  const step = isClimate ? composite.limits.stepping : undefined;
  const presets = presetWords(
    composite.presets.filter((preset) => preset.toLowerCase() !== 'none'),
    context.language,
  );
  const presetWord = template.translatedBack(presets);
  const canActivate = allows(context, programs.filter(isPreset), /^activate$/);
  const modeConfig = {
    modes: [...modes],
    mode_state_topic: topic('mode'),
    mode_state_template: template.VALUE,
    ...command('mode_command_topic', 'mode', allows(context, [mode], writesMode)),
  };
  const targetConfig = {
    temperature_state_topic: topic('target'),
    temperature_state_template: template.VALUE,
    ...command('temperature_command_topic', 'target', allows(context, targets, writesTarget)),
  };
  // Hubs add `none` themselves.
  const presetConfig = {
    preset_modes: [...presets.values()],
    preset_mode_state_topic: topic('preset'),
    preset_mode_value_template: template.translated(template.CHOICE, presets),
    ...command('preset_mode_command_topic', 'preset', true),
    ...(presetWord === undefined ? {} : { preset_mode_command_template: presetWord }),
  };
  // Without a mode topic hubs show `off`. Hot water without its own mode shows that of the circuits, or none:
  // openHAB logs a warning for any other text, even `None`. Home Assistant still offers the modes; they are
  // rejected.
  const withoutMode = isClimate
    ? { modes: ['auto'], mode_state_topic: topic('target'), mode_state_template: template.ALWAYS_AUTO }
    : {
        ...{ modes: ['performance', 'off'], mode_state_topic: topic('mode'), mode_state_template: template.VALUE },
        ...command('mode_command_topic', 'mode', parts.has('mode') && !mode),
      };
  return {
    icon,
    temperature_unit: 'C',
    precision: 0.1,
    ...(parts.has('mode') && modes.length > 0 && (isClimate || mode) ? modeConfig : withoutMode),
    ...(parts.has('target') ? targetConfig : {}),
    ...limitsConfig(composite),
    ...(step !== undefined && step >= 0.1 ? { temp_step: step } : {}),
    ...(parts.has('current') ? { current_temperature_topic: topic('current'), current_temperature_template: template.VALUE } : {}),
    ...humidityConfig(context, features, scope),
    ...(canActivate ? presetConfig : {}),
    ...(parts.has('action') ? { action_topic: topic('action'), action_template: template.VALUE } : {}),
  };
};

const RADIATOR = 'trv.temperature';
const RADIATOR_SENSORS = ['device.sensors.temperature', 'trv.sensors.temperature'] as const;

/** The climate of a radiator thermostat, from existing topics. It has no mode: always `auto`, like a room. */
const describeRadiator = (context: Context, features: Features): Entity[] => {
  const radiator = features.get(RADIATOR);
  const { min, max, stepping: step } = (radiator && limitsOf(radiator, 'value')) ?? {};
  if (min === undefined || max === undefined || !allows(context, [radiator], /^setTargetTemperature$/)) return [];
  const topic = (feature: string): string => propertyTopic(context.base, context.device, feature, 'value');
  const sensor = RADIATOR_SENSORS.find((name) => features.get(name)?.properties.has('value'));
  const config: Config = {
    ...{ icon: KINDS.climate.icon, temperature_unit: 'C', precision: 0.1, min_temp: min, max_temp: max },
    ...{ modes: ['auto'], mode_state_topic: topic(RADIATOR), mode_state_template: template.ALWAYS_AUTO },
    ...{ temperature_state_topic: topic(RADIATOR), temperature_state_template: template.VALUE },
    temperature_command_topic: `${topic(RADIATOR)}/set`,
    ...(step !== undefined && step >= 0.1 ? { temp_step: step } : {}),
    ...(sensor ? { current_temperature_topic: topic(sensor), current_temperature_template: template.VALUE } : {}),
  };
  const rank = rankOf('climate', RADIATOR, 'climate');
  return [{ key: partKey('trv', 'climate'), platform: 'climate', ...ownLabel('thermostat', context.language), rank, config }];
};

/**
 * A climate for each circuit, for each room with a sensor and for the radiator thermostat, and a water heater
 * (docs/topics.md). The current temperature needs a sensor.
 */
export const describeComposites = (context: Context, features: Features): Entity[] => {
  // The parts do not depend on remembered values.
  const composites = compositesOf(features, () => ({})).map((composite) => ({
    key: partKey(composite.scope, composite.kind),
    platform: composite.kind,
    ...thermostatLabelOf(context, composite.scope),
    rank: rankOf(composite.kind, composite.scope, composite.kind),
    config: configOf(context, features, composite),
  }));
  return [...composites, ...describeRadiator(context, features)];
};
