import type { Device } from '../devices/deviceState.ts';
import type { FeatureStore } from '../devices/featureStore.ts';
import type { DiscoveryPublisher } from '../discovery/discoveryPublisher.ts';
import type { DeviceDiscovery } from '../polling/deviceDiscovery.ts';
import { isChosen } from '../polling/readTarget.ts';
import type { RetainedPublisher } from './retainedPublisher.ts';

/** Clears what earlier runs published for devices and features that are no longer configured. */
export class TopicCleanup {
  readonly #offersDocuments: boolean;
  readonly #store: FeatureStore;
  readonly #publisher: RetainedPublisher;
  readonly #offers: Pick<DiscoveryPublisher, 'withdraw'>;
  readonly #discovery: Pick<DeviceDiscovery, 'devices' | 'unlisted'> | undefined;

  constructor(
    offersDocuments: boolean,
    store: FeatureStore,
    publisher: RetainedPublisher,
    offers: Pick<DiscoveryPublisher, 'withdraw'>,
    discovery: Pick<DeviceDiscovery, 'devices' | 'unlisted'> | undefined,
  ) {
    this.#offersDocuments = offersDocuments;
    this.#store = store;
    this.#publisher = publisher;
    this.#offers = offers;
    this.#discovery = discovery;
  }

  run(): void {
    // Before the first list it is not known which devices there are.
    if (this.#discovery && this.#discovery.devices() === undefined) return;
    const unlisted = this.#discovery?.unlisted() ?? new Set();
    for (const owner of this.#publisher.topics.owners()) {
      const [kind = '', key = '', ...rest] = owner.split(' ');
      if (this.#stays(kind, key, rest.join(' '), unlisted)) continue;
      if (kind === 'document') this.#offers.withdraw(owner);
      else this.#publisher.assign(owner, []);
    }
  }

  #stays(kind: string, key: string, feature: string, unlisted: ReadonlySet<string>): boolean {
    const device: Device | undefined = this.#store.states.get(key)?.device;
    const isKnown = device !== undefined || unlisted.has(key);
    switch (kind) {
      case 'bridge':
        return true;
      case 'document':
        return this.#offersDocuments && (key === 'bridge' || isKnown);
      case 'feature':
      case 'until':
        return device === undefined ? isKnown : isChosen(device, feature);
      case 'availability':
      case 'info':
      case 'composite':
        return isKnown;
      default:
        return false;
    }
  }
}
