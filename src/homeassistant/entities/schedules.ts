import type { Feature } from '../../features/feature.ts';
import type { Constraints } from '../../schedule/constraints.ts';
import { CUSTOM, fittingProfiles } from '../../schedule/profile.ts';
import { printEntry } from '../../schedule/text/textEntry.ts';
import { DAYS, type Day } from '../../schedule/week.ts';
import { constraintsOf, schedulerOf } from '../../topics/scheduleCommand.ts';
import { featureTopic } from '../../topics/topicNames.ts';
import { partKey } from '../ids.ts';
import { labelOf } from '../names.ts';
import * as template from '../templates.ts';
import type { Config, Context, Entity, EntityPlatform } from './entity.ts';

/** Names of the entities of a schedule, after the schedule's own name. */
const WORDS: Readonly<Record<string, string>> = {
  now: 'mode',
  next: 'next mode',
  next_at: 'next change',
  until: 'temporary until',
  text: 'week',
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
  profile: 'profile',
  undo: 'undo',
};

const CALENDAR = { icon: 'mdi:calendar-clock' };
const LONGEST_STATE = 255;

/** Characters of the longest text of a day; undefined if the constraints do not limit it. */
export const longestDay = ({ maxEntries, modes }: Constraints): number | undefined => {
  if (maxEntries === undefined || modes === undefined) return undefined;
  const lengths = modes.map((mode) => printEntry({ start: '00:00', end: '24:00', mode })?.length ?? 0);
  return maxEntries * Math.max(...lengths) + Math.max(0, maxEntries - 1) * ', '.length;
};

/** The modes that the week can have; empty if the constraints do not list them. */
const modesOf = ({ modes, defaultMode }: Constraints): readonly string[] =>
  modes === undefined ? [] : [...new Set([...modes, ...(defaultMode === undefined ? [] : [defaultMode])])];

const modeConfig = (options: readonly string[]): Config =>
  options.length > 0 ? { device_class: 'enum', options: [...options], value_template: template.CHOICE } : { value_template: template.TEXT };

type Row = { readonly leaf: string; readonly platform: EntityPlatform; readonly config: Config };

const LIMITS = { min: 0, max: LONGEST_STATE };

const textRow = (leaf: 'text' | Day, isControl: boolean): Row =>
  isControl
    ? { leaf, platform: 'text', config: { entity_category: 'config', ...CALENDAR, ...LIMITS, value_template: template.CUT } }
    : { leaf, platform: 'sensor', config: { entity_category: 'diagnostic', ...CALENDAR, value_template: template.TEXT } };

/** The entities of every week, writable or not. */
const momentRows = (entries: string, constraints: Constraints): readonly Row[] => {
  const mode = modeConfig(modesOf(constraints));
  const week = { json_attributes_topic: entries, json_attributes_template: template.OBJECT_ATTRIBUTES };
  return [
    { leaf: 'now', platform: 'sensor', config: { ...CALENDAR, ...mode, ...week } },
    { leaf: 'next', platform: 'sensor', config: { icon: 'mdi:calendar-arrow-right', ...mode } },
    { leaf: 'next_at', platform: 'sensor', config: { device_class: 'timestamp', value_template: template.INSTANT } },
  ];
};

const writableRows = ({ profiles }: Context, constraints: Constraints): readonly Row[] => {
  const options = [...fittingProfiles(profiles, constraints).map(({ name }) => name), CUSTOM];
  return [
    { leaf: 'until', platform: 'sensor', config: { device_class: 'timestamp', value_template: template.INSTANT } },
    { leaf: 'profile', platform: 'select', config: { icon: 'mdi:calendar-star', options, value_template: template.CHOICE } },
    { leaf: 'undo', platform: 'button', config: { entity_category: 'config', icon: 'mdi:undo', payload_press: 'PRESS' } },
  ];
};

/** True if a command writes the feature's week and the settings allow it. */
const isWritable = ({ isAllowed }: Context, feature: Feature): boolean => {
  const scheduler = schedulerOf(feature);
  return scheduler !== undefined && isAllowed(feature.name, scheduler.command);
};

const COMMANDED: ReadonlySet<EntityPlatform> = new Set(['text', 'select', 'button']);

/** The topics of a row: its state topic, and its command topic if hubs write it. */
const topicsOf = ({ base, device }: Context, feature: Feature, { leaf, platform }: Row): Config => ({
  ...(platform === 'button' ? {} : { state_topic: featureTopic(base, device, feature.name, leaf) }),
  ...(COMMANDED.has(platform) ? { command_topic: featureTopic(base, device, feature.name, `${leaf}/set`) } : {}),
});

/**
 * The entities of a schedule (docs/schedules.md): the current mode with the week as its attributes and the next change; for a writable week
 * also texts for the week and its days, the profile, undo, and the end of a temporary write. A day whose text can exceed the maximum
 * length of a state, and a week that is not writable, are only shown.
 */
export const describeSchedule = (context: Context, feature: Feature): Entity[] => {
  const constraints = constraintsOf(feature);
  const writable = isWritable(context, feature);
  const fits = (longestDay(constraints) ?? 0) <= LONGEST_STATE;
  const entries = featureTopic(context.base, context.device, feature.name, 'entries');
  const rows: readonly Row[] = [
    ...momentRows(entries, constraints),
    textRow('text', writable),
    ...DAYS.map((day) => textRow(day, writable && fits)),
    ...(writable ? writableRows(context, constraints) : []),
  ];
  const label = labelOf(feature.name, undefined, context.named);
  return rows.map((row) => ({
    key: partKey(feature.name, row.leaf),
    platform: row.platform,
    name: `${label.name} ${WORDS[row.leaf] ?? row.leaf}`,
    idText: `${label.idText ?? label.name} ${row.leaf}`,
    config: {
      ...row.config,
      ...(feature.deprecated ? { enabled_by_default: false } : {}),
      ...topicsOf(context, feature, row),
    },
  }));
};
