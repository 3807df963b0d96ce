import type { Language } from '../../language/language.ts';
import { NO_FAULT, type OwnKey } from '../../language/names/bridge.ts';
import { bridgeTopic, deviceTopic } from '../../topics/topicNames.ts';
import { ownEntity } from '../names.ts';
import { OBJECT_ATTRIBUTES } from '../templates.ts';
import type { Config, Entity, EntityPlatform } from './entity.ts';

/** `true` while a message of one of these kinds is active. */
export const anyOf = (...kinds: readonly string[]): string =>
  `{{ ('true' if value_json.active | selectattr('kind', 'in', ['${kinds.join("', '")}']) | list else 'false') if value else 'None' }}`;

/** Code and text of the last fault, or none; Home Assistant accepts at most 255 characters as a state. */
export const lastFaultTemplate = (language: Language): string => {
  const last = "((value_json.last.code ~ ' ' ~ value_json.last.text | default('', true)) | trim)[:255]";
  return `{{ (${last} if value_json.last is defined else '${NO_FAULT[language]}') if value else 'None' }}`;
};

const BEGIN_OR_END =
  "{{ dict(value_json, event_type=value_json.event) | tojson if value_json is defined and value_json.event is defined else '{}' }}";

/**
 * The faults of a device: one problem with the list as attributes, an event for each start and end, the last
 * fault, and whether service is due. Ids contain no codes. They depend only on the bridge: an offline device
 * keeps its faults.
 */
export const faultEntities = (base: string, device: string, language: Language): readonly Entity[] => {
  const topic = deviceTopic(base, device, 'faults');
  const entity = (platform: EntityPlatform, key: OwnKey, config: Config): Entity =>
    ownEntity(platform, key, language, { ...config, availability: [{ topic: bridgeTopic(base, 'state') }] });
  const shown = { state_topic: topic, json_attributes_topic: topic, json_attributes_template: OBJECT_ATTRIBUTES };
  const yesNo = { payload_on: 'true', payload_off: 'false' };
  return [
    entity('binary_sensor', 'fault', { ...shown, ...yesNo, device_class: 'problem', value_template: anyOf('fault', 'warning') }),
    entity('event', 'fault_event', {
      event_types: ['began', 'ended'],
      icon: 'mdi:alert-circle-outline',
      state_topic: deviceTopic(base, device, 'fault'),
      value_template: BEGIN_OR_END,
    }),
    entity('sensor', 'last_fault', {
      entity_category: 'diagnostic',
      icon: 'mdi:history',
      state_topic: topic,
      value_template: lastFaultTemplate(language),
    }),
    entity('binary_sensor', 'service_due', {
      ...{ entity_category: 'diagnostic', icon: 'mdi:wrench-clock', enabled_by_default: false },
      ...{ ...yesNo, state_topic: topic, value_template: anyOf('service') },
    }),
  ];
};
