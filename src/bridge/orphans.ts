import { jsonObject } from '../base/jsonObject.ts';
import { BRIDGE_OBJECT_ID, objectId } from '../discovery/ids.ts';
import { documentsOf } from '../discovery/ours.ts';
import { readDocumentTopic } from '../discovery/single.ts';
import { decodeLevel } from '../topics/address.ts';
import { topicsOfBridge } from '../topics/ours.ts';
import { documentOwner } from './documents.ts';
import { deviceKey } from './home.ts';
import { compositeOwner, featureOwner } from './owners.ts';

type Identity = { readonly gateway: string; readonly device: string };

/** No device has such a key: what it owns is cleared with the next look at the settings. */
const NOBODY: Identity = { gateway: '', device: '' };

const textsOf = (payload: string | undefined): Readonly<Record<string, unknown>> => (payload && jsonObject(payload)) || {};

const identityOf = (payload: string | undefined): Identity => {
  const { gateway, device } = textsOf(payload);
  return typeof gateway === 'string' && typeof device === 'string' ? { gateway, device } : NOBODY;
};

/**
 * What a bridge with this base has left on the broker, by topic, with the owner that its ledger would name: read off what is retained,
 * for a ledger that was lost. The bridge's own reports are left out, since every run publishes them.
 */
export const leftBehind = (base: string, retained: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
  const owners = new Map<string, string>();
  const objects = new Map([[BRIDGE_OBJECT_ID, 'bridge']]);
  for (const topic of topicsOfBridge(base, retained)) {
    const [level = '', ...path] = topic.slice(base.length + 1).split('/');
    if (level === 'bridge') continue;
    const identity = identityOf(retained.get(`${base}/${level}/info`));
    const key = deviceKey(identity);
    objects.set(objectId(identity.gateway, identity.device), key);
    const { feature } = textsOf(retained.get(topic.replace(/[^/]+$/u, 'record')));
    const device = { name: level, installation: '', ...identity, features: [], exclude: [] };
    const parts = path.slice(0, -1).map((part) => decodeLevel(part) ?? part);
    if (path.length === 1) owners.set(topic, `${path[0]} ${key}`);
    else owners.set(topic, typeof feature === 'string' ? featureOwner(device, feature) : compositeOwner(device, parts.join('.')));
  }
  for (const topic of documentsOf(base, retained)) {
    owners.set(topic, documentOwner(objects.get(readDocumentTopic(topic)?.object ?? '') ?? deviceKey(NOBODY)));
  }
  return owners;
};
