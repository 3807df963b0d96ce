import { baseOfDocument } from '../../../homeassistant/documents/publishedDocument.ts';
import type { Log } from '../../../shared/log.ts';
import { LogOnce } from '../broker/logOnce.ts';
import { documentOwner } from '../broker/topicOwnership.ts';

/**
 * The base of the other bridge that published this retained document; undefined for ours. `own`: our payload
 * on its topic, possibly with an earlier base.
 */
export const otherBaseOf = (payload: string, base: string, own: string | undefined): string | undefined => {
  const other = payload === own ? undefined : baseOfDocument(payload);
  return other === base ? undefined : other;
};

/**
 * Tracks devices offered by a bridge with another `mqtt.base`: entity ids do not depend on the base, so two
 * bridges for one heating share document topics. The first one keeps the device, to avoid overwriting.
 * `looked` resolves once the broker has sent the content of an owner's discovery topic.
 */
export const otherBridges = (base: string, looked: (owner: string) => Promise<void>, log: Log) => {
  const logged = new LogOnce();
  /** Documents with another base, by topic. */
  const documents = new Map<string, string>();

  /** The broker sends the content of a device's discovery topic. */
  const shown = (topic: string, payload: string): void => {
    if (otherBaseOf(payload, base, undefined) === undefined) documents.delete(topic);
    else documents.set(topic, payload);
  };

  /** Connected: the broker sends again what is still there. */
  const connected = (): void => documents.clear();

  /** The broker has acknowledged our document on this topic. */
  const published = (topic: string): void => void documents.delete(topic);

  /** True if another bridge owns the device's document (not a part's). `own`: our payload there. */
  const haveDevice = (owner: string, topic: string, own: string | undefined): boolean => {
    const other = otherBaseOf(documents.get(topic) ?? '', base, own);
    if (other !== undefined && logged.isFirst(`${topic} ${other}`))
      log.warn(
        { device: owner.slice(documentOwner('').length), topic, other_base: other },
        'a bridge with another mqtt.base already publishes this device to hubs, so this bridge does not; if that bridge no longer exists, run `heating2mqtt forget` with its mqtt.base: this bridge publishes the device some seconds later',
      );
    return other !== undefined;
  };

  return { shown, connected, published, haveDevice, looked };
};

export type OtherBridges = ReturnType<typeof otherBridges>;
