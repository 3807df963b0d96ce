import type { Feature, Json, Property } from '../features/feature.ts';
import { propertyTopic, RESERVED } from '../topics/address.ts';
import { schedulePropertyOf } from '../topics/state.ts';
import { componentKey } from './ids.ts';
import { type Rank, rankOf } from './rank.ts';
import * as template from './templates.ts';
import { measure } from './units.ts';
import { nameOf } from './words.ts';

type Config = Readonly<Record<string, Json>>;

/** One component of a device document, without what the document gives all of them. */
export type Entity = {
  /** Frozen, `[a-z0-9_]`, unique in its device. */
  readonly key: string;
  readonly platform: 'binary_sensor' | 'button' | 'event' | 'sensor';
  /** For people, without the device's name. */
  readonly name: string;
  /** What the entity id has after the name's words. */
  readonly idSuffix?: string;
  readonly config: Config;
};

/** How a property is shown. A type that is not known yet, or that its value contradicts, is what the value's JSON says; without one, text. */
type Shape = 'array' | 'boolean' | 'number' | 'object' | 'schedule' | 'text';

const TYPES: Readonly<Record<string, Shape>> = {
  array: 'array',
  boolean: 'boolean',
  number: 'number',
  object: 'object',
  Schedule: 'schedule',
  string: 'text',
};

const shapeOfValue = (value: Json): Shape => {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object') return 'object';
  return typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'boolean';
};

const shapeOf = ({ type, value }: Property): Shape => {
  const declared = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (value === undefined || value === null) return declared ?? 'text';
  const seen = shapeOfValue(value);
  return declared === 'schedule' && seen === 'object' ? 'schedule' : seen;
};

// Older records have the unit in a property beside the value: `unit` for all, `maxUnit` for `max`.
const unitOf = (feature: Feature, name: string, property: Property): string => {
  if (property.unit) return property.unit;
  const beside = feature.properties.get(`${name}Unit`)?.value ?? feature.properties.get('unit')?.value;
  return typeof beside === 'string' ? beside : '';
};

// Consumption over the periods behind us, the present one first.
const PERIODS = new Set(['day', 'month', 'week', 'year']);
const INSTANTS = /(ReadAt|^changedAt)$/;
const DAY_FEATURES = /(^|\.)holiday\w*$/;
const isDay = (feature: string, name: string): boolean =>
  name === 'date' || ((name === 'start' || name === 'end') && DAY_FEATURES.test(feature));

const text = (feature: string, name: string): Config => {
  if (INSTANTS.test(name)) return { device_class: 'timestamp', value_template: template.INSTANT };
  return isDay(feature, name) ? { device_class: 'date', value_template: template.DAY } : { value_template: template.TEXT };
};

const list = (feature: Feature, name: string, property: Property): Config => {
  const unit = PERIODS.has(name) ? unitOf(feature, name, property) : '';
  // The running total of a period among closed ones is no series for statistics.
  const { state_class: _, ...shown } = unit === '' ? {} : measure(unit, feature.name, name);
  return { ...shown, value_template: unit === '' ? template.COUNT : template.NEWEST };
};

const classOfBoolean = (feature: string): Config => {
  if (/(^|\.)(openWindow|window\.openState)$/.test(feature) && !feature.includes('configuration')) return { device_class: 'window' };
  return /^heating\.(burner|burners\.\d+|compressors\.\d+)$/.test(feature) ? { device_class: 'running' } : {};
};

/** What is particular to a shape; the topics are added by the caller. */
const stateConfig = (shape: Shape, feature: Feature, name: string, property: Property): Config => {
  switch (shape) {
    case 'boolean':
      return { ...classOfBoolean(feature.name), payload_on: 'true', payload_off: 'false', value_template: template.VALUE };
    case 'number':
      return { ...measure(unitOf(feature, name, property), feature.name, name), value_template: template.VALUE };
    case 'text':
      return text(feature.name, name);
    case 'array':
      return list(feature, name, property);
    case 'object':
      return { value_template: template.COUNT };
    case 'schedule':
      return { icon: 'mdi:calendar-clock', value_template: template.WEEK };
    default:
      return shape satisfies never;
  }
};

/** An attribute topic added later would rename channels in openHAB, so the shape decides it, once. */
const attributes = (shape: Shape, topic: string): Config => {
  if (shape === 'array') return { json_attributes_topic: topic, json_attributes_template: template.LIST_ATTRIBUTES };
  if (shape === 'object' || shape === 'schedule')
    return { json_attributes_topic: topic, json_attributes_template: template.OBJECT_ATTRIBUTES };
  return {};
};

const RANK_CONFIG: Readonly<Record<Rank, Config>> = {
  main: {},
  diagnostic: { entity_category: 'diagnostic' },
  hidden: { entity_category: 'diagnostic', enabled_by_default: false },
};

const rankIn = (shape: Shape, feature: Feature, name: string): Rank => {
  if (shape === 'object' || feature.deprecated) return 'hidden';
  return shape === 'schedule' ? 'main' : rankOf(feature.name, name);
};

const config = (shape: Shape, topic: string, feature: Feature, name: string, property: Property): Config => ({
  ...RANK_CONFIG[rankIn(shape, feature, name)],
  ...stateConfig(shape, feature, name, property),
  state_topic: topic,
  ...attributes(shape, topic),
});

// The week is shown by the entity of the schedule's present mode, which has the week as its attributes.
const NOW = 'now';

const describeWeek = (base: string, device: string, feature: Feature, name: string, property: Property): Entity => {
  const topic = propertyTopic(base, device, feature.name, feature.properties.has('entries') ? name : 'entries');
  const label = nameOf(feature.name);
  return {
    key: componentKey(feature.name, NOW),
    platform: 'sensor',
    name: label,
    idSuffix: NOW,
    config: config('schedule', topic, feature, name, property),
  };
};

const describeProperty = (base: string, device: string, feature: Feature, name: string, property: Property): Entity => {
  const shape = shapeOf(property);
  if (shape === 'schedule' && schedulePropertyOf(feature) === name) return describeWeek(base, device, feature, name, property);
  return {
    key: componentKey(feature.name, name),
    platform: shape === 'boolean' ? 'binary_sensor' : 'sensor',
    name: nameOf(feature.name, name),
    config: config(shape, propertyTopic(base, device, feature.name, name), feature, name, property),
  };
};

/**
 * The entities of one feature, by rules from tables: one for each property that has a topic. Those without a value now have theirs too.
 * `device` is the device's name in topics.
 */
export const describeFeature = (base: string, device: string, feature: Feature): Entity[] =>
  feature.isEnabled
    ? [...feature.properties]
        .filter(([name]) => !RESERVED.has(name))
        .map(([name, property]) => describeProperty(base, device, feature, name, property))
    : [];
