import { bridgeTopic } from '../../topics/topicNames.ts';
import { member, OBJECT_ATTRIBUTES } from '../templates.ts';
import type { Entity } from './entity.ts';

const DIAGNOSTIC = { entity_category: 'diagnostic' };

/** A template that tells whether a member has this text: `true`, `false`, or `None` where it is missing. */
const isText = (name: string, text: string): string =>
  `{{ ('true' if value_json.${name} == '${text}' else 'false') if value and value_json.${name} is defined else 'None' }}`;

/** What the bridge tells about itself, on its own device: all of it comes from `bridge/*`, which changes at most once a minute. */
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
        // A device's name would poll that device alone, and no device can be called `bridge`.
        payload_press: 'bridge',
      },
    },
  ];
};
