import type { Language } from '../../language/language.ts';
import { bridgeTopic, commandTopic } from '../../topics/topicNames.ts';
import { ownEntity } from '../names.ts';
import type { Entity } from './entity.ts';

/** A button that asks for the restart of the gateway of this device. Nobody needs it each day: it is below Configuration. */
export const restartEntity = (base: string, device: string, language: Language): Entity =>
  ownEntity('button', 'restart_gateway', language, {
    ...{ entity_category: 'config', device_class: 'restart' },
    command_topic: commandTopic(base, { kind: 'bridge', what: 'restart_gateway' }),
    payload_press: device,
    availability: [{ topic: bridgeTopic(base, 'state') }],
  });
