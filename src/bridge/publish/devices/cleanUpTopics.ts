import type { Device, DeviceState } from '../../state/deviceState.ts';
import { isChosen } from '../../state/readTarget.ts';
import type { RetainedPublisher } from '../broker/retainedPublisher.ts';
import type { DiscoveryPublisher } from '../discovery/discoveryPublisher.ts';

/** Discovered devices (undefined before the first list), and keys of those lately missing from it. */
type Found = { devices(): readonly Device[] | undefined; unlisted(): ReadonlySet<string> };

/** Clears topics of devices and features that are no longer configured. `states`: by device key. */
export const cleanUpTopics = (
  offersDocuments: boolean,
  states: ReadonlyMap<string, DeviceState>,
  publisher: RetainedPublisher,
  offers: Pick<DiscoveryPublisher, 'withdraw'>,
  discovery: Found | undefined,
): void => {
  // Before the first list the devices are unknown.
  if (discovery && discovery.devices() === undefined) return;
  const unlisted = discovery?.unlisted();
  const stays = (kind: string, key: string, feature: string): boolean => {
    const device: Device | undefined = states.get(key)?.device;
    const isKnown = device !== undefined || unlisted?.has(key) === true;
    if (kind === 'bridge') return true;
    if (kind === 'document') return offersDocuments && (key === 'bridge' || isKnown);
    return device && (kind === 'feature' || kind === 'until') ? isChosen(device, feature) : isKnown;
  };
  for (const owner of publisher.topics.owners()) {
    const [kind = '', key = '', ...rest] = owner.split(' ');
    if (stays(kind, key, rest.join(' '))) continue;
    if (kind === 'document') offers.withdraw(owner);
    else publisher.assign(owner, []);
  }
};
