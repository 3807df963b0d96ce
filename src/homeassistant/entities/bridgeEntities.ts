import type { Language } from '../../language/language.ts';
import type { OwnKey } from '../../language/names/bridge.ts';
import { bridgeTopic } from '../../topics/topicNames.ts';
import { ownEntity } from '../names.ts';
import { member, OBJECT_ATTRIBUTES } from '../templates.ts';
import type { Config, Entity, EntityPlatform } from './entity.ts';
import { problemEntity } from './problemEntity.ts';

/** Whether the user must log in: `true`, `false`, or `None` if unknown. */
const LOGIN_NEEDED =
  "{{ ('true' if value_json.state == 'login_needed' else 'false') if value and value_json.state is defined else 'None' }}";

/** The entities of the bridge's own device, from the topics `bridge/…`. */
export const bridgeEntities = (base: string, language: Language): Entity[] => {
  const attributes = (leaf: string): Config => ({
    json_attributes_topic: bridgeTopic(base, leaf),
    json_attributes_template: OBJECT_ATTRIBUTES,
  });
  const entity = (platform: EntityPlatform, key: OwnKey, config: Config): Entity => ownEntity(platform, key, language, config);
  const state = (leaf: string, template: string, config: Config): Config => ({
    entity_category: 'diagnostic',
    ...config,
    state_topic: bridgeTopic(base, leaf),
    value_template: template,
  });
  // No unit: its word would change with the language and end the Home Assistant statistics.
  const calls = { icon: 'mdi:gauge', state_class: 'measurement' };
  const problem = { device_class: 'problem', payload_on: 'true', payload_off: 'false' };
  const seconds = { device_class: 'duration', unit_of_measurement: 's', suggested_display_precision: 0 };
  const poll = {
    entity_category: 'config',
    icon: 'mdi:refresh',
    command_topic: bridgeTopic(base, 'poll/set'),
    // The name of a device would poll only that device. No device is called `bridge`.
    payload_press: 'bridge',
  };
  return [
    entity('sensor', 'calls_left', { ...state('quota', member('left', 'per_day'), calls), ...attributes('quota') }),
    // It changes with each read, and each change is an entry in Home Assistant's activity log.
    entity('sensor', 'last_success', {
      ...state('health', member('last_success_at'), { device_class: 'timestamp' }),
      enabled_by_default: false,
    }),
    // Older than the problem `login`, which also reports a login that ends soon.
    entity('binary_sensor', 'login_needed', {
      ...state('auth', LOGIN_NEEDED, problem),
      enabled_by_default: false,
      ...attributes('auth'),
    }),
    ...(['login', 'calls', 'plan', 'broker'] as const).map((one) =>
      problemEntity(one, bridgeTopic(base, 'problems'), bridgeTopic(base, 'state'), language),
    ),
    entity('sensor', 'poll_interval', state('quota', member('poll_seconds'), seconds)),
    entity('button', 'poll_now', poll),
  ];
};
