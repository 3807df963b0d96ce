import { isPreset, modeFeature } from '../../features/composites/climate.ts';
import { MODES } from '../../features/composites/climateMode.ts';
import type { Composite, Features, Part } from '../../features/composites/composite.ts';
import { climateScopes, compositesOf } from '../../features/composites/compositesOf.ts';
import { programsOf } from '../../features/composites/program.ts';
import { WATER_MODE, WATER_MODES, WATER_TARGET } from '../../features/composites/waterHeater.ts';
import type { Feature } from '../../features/feature.ts';
import { choicesOf } from '../../features/propertyCommands.ts';
import { featureTopic } from '../../topics/topicNames.ts';
import { partKey } from '../ids.ts';
import { labelOf } from '../names.ts';
import * as template from '../templates.ts';
import type { Config, Context, Entity } from './entity.ts';

// The hubs' default limits are in °F or too narrow.
const WATER_LIMITS = { min: 10, max: 60 };

const allows = ({ isAllowed }: Context, features: readonly (Feature | undefined)[], command: RegExp): boolean =>
  features.some((feature) =>
    [...(feature?.commands.keys() ?? [])].some((name) => command.test(name) && isAllowed(feature?.name ?? '', name)),
  );

type Made = { readonly context: Context; readonly composite: Composite; readonly features: Features };

const topicOf = ({ context: { base, device }, composite }: Made, part: Part): string => featureTopic(base, device, composite.name, part);

const setOf = (made: Made, part: Part, key: string, isOpen: boolean): Config => (isOpen ? { [key]: `${topicOf(made, part)}/set` } : {});

const currentConfig = (made: Made): Config =>
  made.composite.parts.has('current')
    ? { current_temperature_topic: topicOf(made, 'current'), current_temperature_template: template.VALUE }
    : {};

const targetConfig = (
  made: Made,
  isOpen: boolean,
  { min, max }: { readonly min?: number | undefined; readonly max?: number | undefined },
): Config =>
  made.composite.parts.has('target')
    ? {
        temperature_state_topic: topicOf(made, 'target'),
        temperature_state_template: template.VALUE,
        ...setOf(made, 'target', 'temperature_command_topic', isOpen),
        ...(min !== undefined && max !== undefined && min < max ? { min_temp: min, max_temp: max } : {}),
      }
    : {};

/** The options of a mode: those of its command, or all if no command lists any. */
const wordsOf = ({ composite, features }: Made, feature: string, all: readonly string[]): readonly string[] => {
  const mode = features.get(feature);
  return mode && choicesOf(mode, 'value').length > 0 ? composite.modes : all;
};

const modeConfig = (made: Made, modes: readonly string[], isOpen: boolean): Config => ({
  modes: [...modes],
  mode_state_topic: topicOf(made, 'mode'),
  mode_state_template: template.VALUE,
  ...setOf(made, 'mode', 'mode_command_topic', isOpen),
});

/** Presets, if a command can activate one. Hubs add `none` themselves. */
const presetConfig = (made: Made): Config => {
  const { context, composite, features } = made;
  const presets = composite.presets.filter((preset) => preset.toLowerCase() !== 'none');
  const programs = programsOf(features, composite.scope).filter(isPreset);
  if (!composite.parts.has('preset') || presets.length === 0 || !allows(context, programs, /^activate$/)) return {};
  return {
    preset_modes: presets,
    preset_mode_state_topic: topicOf(made, 'preset'),
    preset_mode_value_template: template.VALUE,
    ...setOf(made, 'preset', 'preset_mode_command_topic', true),
  };
};

const climateConfig = (made: Made): Config => {
  const { context, composite, features } = made;
  const { scope, parts, limits } = composite;
  const programs = programsOf(features, scope);
  const modes = wordsOf(made, modeFeature(scope), MODES);
  const step = limits.stepping;
  return {
    ...(parts.has('mode') && modes.length > 0
      ? modeConfig(made, modes, allows(context, [features.get(modeFeature(scope))], /^setMode$/))
      : // Without a mode hubs show `off`.
        { modes: ['auto'], mode_state_topic: topicOf(made, 'target'), mode_state_template: template.ALWAYS_AUTO }),
    ...targetConfig(made, allows(context, programs, /^(?:setTemperature|activate)$/), limits),
    ...(step !== undefined && step >= 0.1 ? { temp_step: step } : {}),
    ...currentConfig(made),
    ...presetConfig(made),
    ...(parts.has('action') ? { action_topic: topicOf(made, 'action'), action_template: template.VALUE } : {}),
  };
};

const waterConfig = (made: Made): Config => {
  const { context, composite, features } = made;
  const { parts, limits } = composite;
  const { min = WATER_LIMITS.min, max = WATER_LIMITS.max } = limits;
  return {
    ...(parts.has('mode')
      ? modeConfig(made, wordsOf(made, WATER_MODE, WATER_MODES), allows(context, [features.get(WATER_MODE)], /^set/))
      : // Without a mode topic hubs show `off`, which is wrong for hot water. Nothing is published on this topic, so the mode stays unknown.
        // openHAB logs a warning for a text that is no mode, also for `None`.
        { modes: ['performance'], mode_state_topic: topicOf(made, 'mode'), mode_state_template: template.VALUE }),
    ...targetConfig(made, allows(context, [features.get(WATER_TARGET)], /^set/), { min, max }),
    ...(parts.has('target') && min < max ? {} : { min_temp: WATER_LIMITS.min, max_temp: WATER_LIMITS.max }),
    ...currentConfig(made),
  };
};

/** A climate for each circuit and each room with a sensor, and a water heater (docs/topics.md). The current temperature needs a sensor. */
export const describeComposites = (context: Context, features: Features): Entity[] => {
  const scopes = climateScopes(features);
  // The parts do not depend on remembered values.
  return compositesOf(features, () => ({})).map((composite) => {
    const made = { context, composite, features: scopes.get(composite.scope) ?? features };
    const isClimate = composite.kind === 'climate';
    return {
      key: partKey(composite.scope, composite.kind),
      platform: composite.kind,
      ...labelOf(composite.scope, undefined, context.named),
      config: {
        icon: isClimate ? 'mdi:radiator' : 'mdi:water-boiler',
        temperature_unit: 'C',
        precision: 0.1,
        ...(isClimate ? climateConfig(made) : waterConfig(made)),
      },
    };
  });
};
