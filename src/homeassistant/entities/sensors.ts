import type { Feature, Property } from '../../features/feature.ts';
import type { Language } from '../../language/language.ts';
import { type Shape, unitOf } from '../shape.ts';
import * as template from '../templates.ts';
import { isAmount, measure } from '../units.ts';
import type { Config, Rank } from './entity.ts';
import { choiceConfig, kindOfWords, textTemplate } from './stateWords.ts';
import { knownChoices } from './writings.ts';

// Consumption of past periods, the current one first.
const PERIODS = new Set(['day', 'month', 'week', 'year']);
const INSTANTS = /(ReadAt|^changedAt)$/;
const DAY_FEATURES = /(^|\.)holiday\w*$/;
const isDay = (feature: string, name: string): boolean =>
  name === 'date' || ((name === 'start' || name === 'end') && DAY_FEATURES.test(feature));

const text = (feature: Feature, name: string, language: Language): Config => {
  const choices = knownChoices(feature, name);
  if (choices.length > 0) return choiceConfig(choices, kindOfWords(feature.name), language);
  if (INSTANTS.test(name)) return { device_class: 'timestamp', value_template: template.INSTANT };
  return isDay(feature.name, name)
    ? { device_class: 'date', value_template: template.DAY }
    : { value_template: textTemplate(feature.name, name, language) };
};

const list = (feature: Feature, name: string, property: Property): Config => {
  const unit = PERIODS.has(name) ? unitOf(feature, name, property) : '';
  // The first number resets each period, so it is not a series for statistics.
  const { state_class: _, ...shown } = measure(unit, feature.name, name);
  return { ...shown, value_template: unit === '' ? template.COUNT : template.NEWEST };
};

const classOfBoolean = (feature: string): Config => {
  if (/(^|\.)(openWindow|window\.openState)$/.test(feature) && !feature.includes('configuration')) return { device_class: 'window' };
  return /^heating\.(burner|burners\.\d+|compressors\.\d+)$/.test(feature) ? { device_class: 'running' } : {};
};

// Pumps report it as a text.
const PUMP = /(?:^|\.)pumps?(?:\.\w+)?$/;

/** True for a text that tells whether a pump runs. */
export const isPump = (shape: Shape, feature: string, name: string): boolean => shape === 'text' && name === 'status' && PUMP.test(feature);

/** The specific configuration of a read-only property, without topics. */
export const stateConfig = (shape: Shape, feature: Feature, name: string, property: Property, language: Language): Config => {
  switch (shape) {
    case 'boolean':
      return { ...classOfBoolean(feature.name), payload_on: 'true', payload_off: 'false', value_template: template.VALUE };
    case 'number': {
      const unit = unitOf(feature, name, property);
      return { ...measure(unit, feature.name, name), value_template: isAmount(unit) ? template.AMOUNT : template.VALUE };
    }
    case 'text':
      if (isPump(shape, feature.name, name)) return { payload_on: 'on', payload_off: 'off', value_template: template.ON_OFF };
      return text(feature, name, language);
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

/** The attribute topic depends only on the shape: adding it later would rename openHAB channels. */
export const attributes = (shape: Shape, topic: string): Config => {
  if (shape === 'array') return { json_attributes_topic: topic, json_attributes_template: template.LIST_ATTRIBUTES };
  if (shape === 'object' || shape === 'schedule')
    return { json_attributes_topic: topic, json_attributes_template: template.OBJECT_ATTRIBUTES };
  return {};
};

/** The configuration for a rank: all but `main` get this category; `hidden` is disabled by default. */
export const rankConfig = (shown: Rank['shown'], category: 'config' | 'diagnostic'): Config =>
  shown === 'main' ? {} : { entity_category: category, ...(shown === 'hidden' ? { enabled_by_default: false } : {}) };
