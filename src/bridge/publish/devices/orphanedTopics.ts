import { documentObject, documentsOf } from '../../../homeassistant/documents/publishedDocument.ts';
import { bridgeObjectId, mainObjectId, objectId } from '../../../homeassistant/ids.ts';
import { type OwnTopic, ownTopics } from '../../../topics/ownTopics.ts';
import { deviceKey } from '../../state/deviceState.ts';
import { compositeOwner, documentOwner, featureOwner } from '../broker/topicOwnership.ts';

/** No device has this key: the next `cleanUpTopics` clears its topics. */
const NO_DEVICE = deviceKey({ gateway: '', device: '' });

/** The owner name as the database would record it. */
const ownerOf = (own: Exclude<OwnTopic, { kind: 'bridge' }>): string => {
  const key = deviceKey(own.device);
  if (own.kind === 'device') return `${own.leaf} ${key}`;
  const device = { installation: '', features: [], exclude: [], ...own.device };
  return own.kind === 'feature' ? featureOwner(device, own.name) : compositeOwner(device, own.name);
};

/**
 * The topics of a bridge with this base, with their owners, derived from the retained messages: replaces a
 * lost database. Excludes the bridge's own reports, because every run publishes them.
 */
export const orphanedTopics = (base: string, retained: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
  const owners = new Map<string, string>();
  const objects = new Map([[bridgeObjectId(base), 'bridge']]);
  for (const own of ownTopics(base, retained)) {
    if (own.kind === 'bridge') continue;
    owners.set(own.topic, ownerOf(own));
    objects.set(objectId(own.device.gateway, own.device.device), deviceKey(own.device));
  }
  for (const topic of documentsOf(base, retained)) {
    owners.set(topic, documentOwner(objects.get(mainObjectId(documentObject(topic) ?? '')) ?? NO_DEVICE));
  }
  return owners;
};
