import { bridgeTopic } from '../../topics/topicNames.ts';
import { member, OBJECT_ATTRIBUTES } from '../templates.ts';
import type { Entity } from './entity.ts';

const DIAGNOSTIC = { entity_category: 'diagnostic' };

/** A template that compares a member with a text: `true`, `false`, or `None` if it is missing. */
const isText = (name: string, text: string): string =>
  `{{ ('true' if value_json.${name} == '${text}' else 'false') if value and value_json.${name} is defined else 'None' }}`;

/** The entities of the bridge's own device, from the topics `bridge/…`. */
export const bridgeEntities = (base: string): Entity[] => {
  const auth = bridgeTopic(base, 'auth');
  const health = bridgeTopic(base, 'health');
  const quota = bridgeTopic(base, 'quota');
  return [
    {
      key: 'calls_left',
      platform: 'sensor',
      name: 'Calls left',
      config: {
        ...DIAGNOSTIC,
        icon: 'mdi:gauge',
        unit_of_measurement: 'calls',
        state_class: 'measurement',
        state_topic: quota,
        value_template: member('left', 'per_day'),
        json_attributes_topic: quota,
        json_attributes_template: OBJECT_ATTRIBUTES,
      },
    },
    {
      key: 'last_success',
      platform: 'sensor',
      name: 'Last success',
      config: { ...DIAGNOSTIC, device_class: 'timestamp', state_topic: health, value_template: member('last_success_at') },
    },
    {
      key: 'login_needed',
      platform: 'binary_sensor',
      name: 'Login needed',
      config: {
        ...DIAGNOSTIC,
        device_class: 'problem',
        payload_on: 'true',
        payload_off: 'false',
        state_topic: auth,
        value_template: isText('state', 'login_needed'),
        json_attributes_topic: auth,
        json_attributes_template: OBJECT_ATTRIBUTES,
      },
    },
    {
      key: 'poll_interval',
      platform: 'sensor',
      name: 'Poll interval',
      config: {
        ...DIAGNOSTIC,
        device_class: 'duration',
        unit_of_measurement: 's',
        state_topic: quota,
        value_template: member('poll_seconds'),
      },
    },
    {
      key: 'poll_now',
      platform: 'button',
      name: 'Poll now',
      config: {
        entity_category: 'config',
        icon: 'mdi:refresh',
        command_topic: bridgeTopic(base, 'poll/set'),
        // A device's name would poll only that device. No device is called `bridge`.
        payload_press: 'bridge',
      },
    },
  ];
};
