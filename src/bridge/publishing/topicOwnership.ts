import type { Message } from '../../shared/message.ts';
import { type Device, deviceKey } from '../devices/deviceState.ts';
import { isChosen } from '../polling/readTarget.ts';
import type { Ledger } from '../ports.ts';
import type { RetainedPublisher } from './retainedPublisher.ts';

/** Who owns the topics of a device's feature. Features have dots and no blanks; a name with one still stays whole, being the last part. */
export const featureOwner = (device: Device, feature: string): string => `feature ${deviceKey(device)} ${feature}`;

/** Who owns the topic that tells when a write on the feature ends; `device` is its key. */
export const untilOwner = (device: string, feature: string): string => `until ${device} ${feature}`;

/** Names of the device's features that have topics, of this run or an earlier one. */
export const publishedFeatures = (publisher: RetainedPublisher, device: Device): string[] => {
  const start = featureOwner(device, '');
  return publisher.owners().flatMap((owner) => (owner.startsWith(start) ? [owner.slice(start.length)] : []));
};

/** Who owns the topics of a composite. */
export const compositeOwner = (device: Device, composite: string): string => `composite ${deviceKey(device)} ${composite}`;

/** Names of the device's composites that have topics, of this run or an earlier one. */
export const publishedComposites = (publisher: RetainedPublisher, device: Device): string[] => {
  const start = compositeOwner(device, '');
  return publisher.owners().flatMap((owner) => (owner.startsWith(start) ? [owner.slice(start.length)] : []));
};

/** Keys of the devices of which something is held. */
export const publishedDevices = (held: Ledger['held']): string[] => {
  const keys = [...held.values()].map(({ owner }) => owner.split(' ')[1] ?? '');
  return [...new Set(keys)].filter((key) => key.includes('/'));
};

/** Clears what an earlier run published for devices and features that the settings no longer name, but for `spared` ones, and documents where none are wanted; those are given to `withdraw`. */
export const dropUnconfigured = (
  publisher: RetainedPublisher,
  known: readonly Device[],
  documents: boolean,
  spared: ReadonlySet<string>,
  withdraw: (document: string) => void,
): void => {
  const devices = new Map(known.map((device) => [deviceKey(device), device]));
  const none: readonly Message[] = [];
  for (const owner of publisher.owners()) {
    const [kind = '', key = '', ...rest] = owner.split(' ');
    const device = devices.get(key);
    const feature = rest.join(' ');
    const isKnown = device !== undefined || spared.has(key);
    const stays =
      kind === 'bridge' ||
      (kind === 'document' && documents && (key === 'bridge' || isKnown)) ||
      ((kind === 'feature' || kind === 'until') && (device === undefined ? isKnown : isChosen(device, feature))) ||
      ((kind === 'availability' || kind === 'info' || kind === 'composite') && isKnown);
    if (!stays && kind === 'document') withdraw(owner);
    else if (!stays) publisher.assign(owner, none);
  }
};
