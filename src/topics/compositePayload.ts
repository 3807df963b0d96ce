import type { Composite } from '../features/composites/composite.ts';
import type { Message } from '../shared/message.ts';
import { featureTopic } from './topicNames.ts';
import { payloadOf } from './valuePayload.ts';

/** The retained topics of a composite (CONTRACT §2.3); a part without a value has none now. `device` is the device's name in topics. */
export const compositeMessages = (base: string, device: string, { name, parts }: Composite): Message[] =>
  [...parts].flatMap(([part, value]) => {
    const payload = payloadOf(value);
    return payload === '' ? [] : [{ topic: featureTopic(base, device, name, part), payload, retain: true }];
  });
