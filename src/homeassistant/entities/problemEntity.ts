import type { Language } from '../../language/language.ts';
import { ownEntity } from '../names.ts';
import { hasMember, memberAttributes } from '../templates.ts';
import type { Entity } from './entity.ts';

/**
 * A sensor of class `problem`: on while `topic` (`…/problems`) has this member, with its text as the
 * attribute `message`. It depends only on the bridge, because it must also report an offline device.
 */
export const problemEntity = (
  problem: 'login' | 'calls' | 'plan' | 'broker' | 'connection' | 'conflict' | 'stale',
  topic: string,
  stateTopic: string,
  language: Language,
): Entity =>
  // No property has a key of one word.
  ownEntity('binary_sensor', problem, language, {
    entity_category: 'diagnostic',
    device_class: 'problem',
    payload_on: 'true',
    payload_off: 'false',
    state_topic: topic,
    value_template: hasMember(problem),
    json_attributes_topic: topic,
    json_attributes_template: memberAttributes(problem),
    availability: [{ topic: stateTopic }],
  });
