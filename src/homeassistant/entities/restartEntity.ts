import type { Language } from '../../language/language.ts';
import { bridgeTopic, commandTopic } from '../../topics/topicNames.ts';
import { ownLabel } from '../names.ts';
import type { Entity } from './entity.ts';

/** A button that asks for the restart of the gateway of this device. Nobody needs it each day: it is below Configuration. */
export const restartEntity = (base: string, device: string, language: Language): Entity => ({
  key: 'restart_gateway',
  platform: 'button',
  ...ownLabel('restart_gateway', language),
  config: {
    ...{ entity_category: 'config', device_class: 'restart' },
    command_topic: commandTopic(base, { kind: 'bridge', what: 'restart_gateway' }),
    payload_press: device,
    availability: [{ topic: bridgeTopic(base, 'state') }],
  },
});
