import type { Feature } from '../../features/feature.ts';
import { CUSTOM_WORDS, type ScheduleLeaf } from '../../language/names/schedules.ts';
import type { Constraints } from '../../schedule/constraints.ts';
import { fittingProfiles } from '../../schedule/profile.ts';
import { CUSTOM } from '../../schedule/profileName.ts';
import { printEntry } from '../../schedule/text/textEntry.ts';
import { DAYS } from '../../schedule/week.ts';
import { constraintsOf, schedulerOf } from '../../topics/scheduleCommand.ts';
import { featureTopic } from '../../topics/topicNames.ts';
import { partKey } from '../ids.ts';
import { scheduleLabelOf } from '../names.ts';
import { rankOf } from '../rank.ts';
import * as template from '../templates.ts';
import { type Config, type Context, type Entity, type EntityPlatform, LONGEST_STATE, type Rank } from './entity.ts';
import { kindOfModes, scheduleModeConfig, selectConfig } from './stateWords.ts';

const CALENDAR = { icon: 'mdi:calendar-clock' };

/** The maximum length of a day's text; undefined if the constraints do not limit it. */
export const longestDay = ({ maxEntries, modes }: Constraints): number | undefined => {
  if (maxEntries === undefined || modes === undefined) return undefined;
  const lengths = modes.map((mode) => printEntry({ start: '00:00', end: '24:00', mode })?.length ?? 0);
  return maxEntries * Math.max(...lengths) + Math.max(0, maxEntries - 1) * ', '.length;
};

/** The possible modes of the week, if the constraints list them. */
const modesOf = ({ modes = [], defaultMode }: Constraints): readonly string[] =>
  modes.length === 0 ? [] : [...new Set([...modes, ...(defaultMode === undefined ? [] : [defaultMode])])];

/** True if a command writes the feature's week and the settings allow it. */
const isWritable = ({ isAllowed }: Context, feature: Feature): boolean => {
  const scheduler = schedulerOf(feature);
  return scheduler !== undefined && isAllowed(feature.name, scheduler.command);
};

/**
 * The entities of a schedule (docs/schedules.md): the current mode with the week as attributes, and the next
 * change. A writable week adds texts for the week and its days, the profile, undo, the end of a temporary
 * write, and two buttons for a write that was changed elsewhere. Enabled: the week, the current mode, the
 * next change, and a matching profile. A day with a text that may exceed the state limit, and a week that is
 * not writable, are read-only.
 */
export const describeSchedule = (context: Context, feature: Feature): Entity[] => {
  const constraints = constraintsOf(feature);
  const writable = isWritable(context, feature);
  const fits = (longestDay(constraints) ?? 0) <= LONGEST_STATE;
  const topic = (leaf: string): string => featureTopic(context.base, context.device, feature.name, leaf);
  const rank = (platform: EntityPlatform, leaf: string): Rank => rankOf(platform, feature.name, `week/${leaf}`);
  const entity = (platform: EntityPlatform, leaf: ScheduleLeaf, config: Config): Entity => ({
    key: partKey(feature.name, leaf),
    platform,
    ...scheduleLabelOf(context, feature.name, leaf),
    config: {
      ...(platform === 'button' ? {} : { state_topic: topic(leaf) }),
      ...config,
      ...(feature.deprecated || rank(platform, leaf).shown === 'hidden' ? { enabled_by_default: false } : {}),
      ...(platform === 'sensor' ? {} : { command_topic: topic(`${leaf}/set`) }),
    },
    rank: rank(platform, leaf),
  });
  /**
   * The user's decision about a temporary write that was changed elsewhere. It is rarely needed, so it is
   * disabled: openHAB has one availability for all entities, so that cannot hide it.
   */
  const decision = (word: 'restore' | 'keep', icon: string): Entity => {
    const button = entity('button', `until_${word}`, { entity_category: 'config', icon, payload_press: word });
    return { ...button, config: { ...button.config, command_topic: topic('until/set') } };
  };
  const text = (leaf: ScheduleLeaf, isControl: boolean): Entity =>
    isControl
      ? entity('text', leaf, { entity_category: 'config', ...CALENDAR, min: 0, max: LONGEST_STATE, value_template: template.CUT })
      : entity('sensor', leaf, { entity_category: 'diagnostic', ...CALENDAR, value_template: template.TEXT });
  const mode = (member: 'now' | 'next'): Config => ({
    ...scheduleModeConfig(member, modesOf(constraints), kindOfModes(feature.name), context.language),
    // Only this topic also contains the reason if there is none.
    state_topic: topic('overview'),
  });
  const attributesOf = (leaf: string): Config => ({
    json_attributes_topic: topic(leaf),
    json_attributes_template: template.OBJECT_ATTRIBUTES,
  });
  const week = text('text', writable);
  const instant = { device_class: 'timestamp', value_template: template.INSTANT };
  const shown = [
    entity('sensor', 'now', { ...CALENDAR, ...mode('now'), ...attributesOf('entries') }),
    entity('sensor', 'next', { icon: 'mdi:calendar-arrow-right', ...mode('next') }),
    entity('sensor', 'next_at', instant),
    // Read by the dashboard card.
    { ...week, config: { ...week.config, ...attributesOf('overview') } },
    ...DAYS.map((day) => text(day, writable && fits)),
  ];
  if (!writable) return shown;
  const profiles = fittingProfiles(context.profiles, constraints).map(({ name }) => name);
  // Without a matching profile there is no choice.
  const isEmpty = profiles.length === 0;
  const names = new Map([...profiles.map((name) => [name, name] as const), [CUSTOM, CUSTOM_WORDS[context.language]]]);
  const choice = { ...(isEmpty ? { enabled_by_default: false } : {}), ...selectConfig(names) };
  return [
    ...shown,
    entity('sensor', 'until', instant),
    entity('select', 'profile', { icon: 'mdi:calendar-star', ...choice }),
    decision('restore', 'mdi:restore'),
    decision('keep', 'mdi:cellphone-check'),
    entity('button', 'undo', { entity_category: 'config', icon: 'mdi:undo', payload_press: 'PRESS' }),
  ];
};
