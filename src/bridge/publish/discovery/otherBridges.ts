import { baseOfDocument } from '../../../homeassistant/documents/publishedDocument.ts';
import type { Log } from '../../../shared/log.ts';
import { LogOnce } from '../broker/logOnce.ts';
import { documentOwner } from '../broker/topicOwnership.ts';

/**
 * The base of the other bridge that this retained document is of; undefined for one of ours. `own`: what we have published on its topic,
 * perhaps with an earlier base.
 */
export const otherBaseOf = (payload: string, base: string, own: string | undefined): string | undefined => {
  const other = payload === own ? undefined : baseOfDocument(payload);
  return other === base ? undefined : other;
};

/**
 * Knows the devices that a bridge with another `mqtt.base` offers already: the ids of a heating do not depend on the base, so two bridges
 * for one heating have the same document topics. The first one keeps the device. Without this each overwrites the documents of the other.
 * `looked` resolves once the broker has shown what lies on the discovery topic of an owner.
 */
export const otherBridges = (base: string, looked: (owner: string) => Promise<void>, log: Log) => {
  const logged = new LogOnce();
  /** Documents with another base, by topic. */
  const documents = new Map<string, string>();

  /** The broker shows what lies on the discovery topic of a device. */
  const shown = (topic: string, payload: string): void => {
    if (otherBaseOf(payload, base, undefined) === undefined) documents.delete(topic);
    else documents.set(topic, payload);
  };

  /** The broker has taken what this bridge has published there. */
  const published = (topic: string): void => void documents.delete(topic);

  /** True where the document on the topic, that of a device and not of a part, is of another bridge. `own`: what we have published there. */
  const haveDevice = (owner: string, topic: string, own: string | undefined): boolean => {
    const other = otherBaseOf(documents.get(topic) ?? '', base, own);
    if (other !== undefined && logged.isFirst(`${topic} ${other}`))
      log.warn(
        { device: owner.slice(documentOwner('').length), topic, other_base: other },
        'a bridge with another mqtt.base offers this device to hubs already, so this bridge does not; if that bridge is gone, run `heating2mqtt forget` with its mqtt.base, then publish on bridge/republish/set of this one',
      );
    return other !== undefined;
  };

  return { shown, published, haveDevice, looked };
};

export type OtherBridges = ReturnType<typeof otherBridges>;
