import { bridgeDocument, type DeviceIdentity, deviceDocuments, type Where } from '../../../homeassistant/document.ts';
import { documentObject } from '../../../homeassistant/documents/publishedDocument.ts';
import type { Offering } from '../../../homeassistant/entities/entity.ts';
import type { Message } from '../../../shared/message.ts';
import { type DeviceState, deviceKey } from '../../state/deviceState.ts';
import type { FeatureForms, FormChange } from '../../state/featureForms.ts';
import type { FeatureStore } from '../../state/featureStore.ts';
import type { Completeness } from '../../state/readTarget.ts';
import type { RetainedPublisher } from '../broker/retainedPublisher.ts';
import { compositeOwner, documentOwner, featureOwner } from '../broker/topicOwnership.ts';
import type { DeviceNames } from './deviceNames.ts';
import type { DiscoveryPublisher } from './discoveryPublisher.ts';

/** `off`: no documents are offered; what they would offer is followed all the same. */
export type DocumentSettings = Where & Offering & { readonly mode: 'device' | 'off' };

type Offered = {
  /** Features that show a value for which the published document has no room yet. */
  readonly tight: Set<string>;
  /** The document is offered as soon as the values are published. */
  isDue: boolean;
};

/** Keeps each device's discovery document in step with what its features look like. */
export class DeviceDocuments {
  readonly #settings: DocumentSettings;
  readonly #store: Pick<FeatureStore, 'isFirstRound'>;
  readonly #reads: Completeness;
  readonly #names: Pick<DeviceNames, 'decide' | 'titleOf'>;
  readonly #publisher: RetainedPublisher;
  readonly #offers: Pick<DiscoveryPublisher, 'offer' | 'isFree'>;
  readonly #forms: Pick<FeatureForms, 'of'>;
  /** By the key of the device. */
  readonly #offered = new Map<string, Offered>();

  constructor(
    settings: DocumentSettings,
    store: Pick<FeatureStore, 'isFirstRound'>,
    reads: Completeness,
    names: Pick<DeviceNames, 'decide' | 'titleOf'>,
    publisher: RetainedPublisher,
    offers: Pick<DiscoveryPublisher, 'offer' | 'isFree'>,
    forms: Pick<FeatureForms, 'of'>,
  ) {
    this.#settings = settings;
    this.#store = store;
    this.#reads = reads;
    this.#names = names;
    this.#publisher = publisher;
    this.#offers = offers;
    this.#forms = forms;
  }

  /** What an earlier run knew of these features; it has published their document. */
  noteRestored(state: DeviceState, changes: readonly FormChange[]): void {
    const { tight } = this.#offeredOf(state);
    for (const { feature, hasOtherCommands } of changes) if (hasOtherCommands) tight.add(feature);
  }

  /**
   * These features were read, and look other than before. To be called before their values are shown: a hub drops a value for which its
   * document has no room. After that the document has to follow (`show`).
   */
  makeRoom(state: DeviceState, changes: readonly FormChange[]): void {
    this.noteRestored(state, changes);
    const { isDue, tight } = this.#offeredOf(state);
    if (changes.length === 0 || isDue || tight.size === 0 || this.#isWaiting || !this.#reads.areComplete(state)) return;
    const owner = documentOwner(deviceKey(state.device));
    if (!this.#offers.isFree(owner)) return;
    tight.clear();
    this.#offers.offer(owner, () => this.#make(state));
  }

  /** Offers the device's document when the states are published. */
  show(state: DeviceState): void {
    const offered = this.#offeredOf(state);
    const owner = documentOwner(deviceKey(state.device));
    if (this.#isWaiting || state.features.size === 0 || offered.isDue) return;
    // An incomplete document would remove entities that the next read brings back; only the first one ever may be incomplete.
    if (!this.#reads.areComplete(state) && this.#publisher.topics.topicsOf(owner).size > 0) return;
    offered.isDue = true;
    // Then the broker has shown, too, what other clients have published on their topics.
    void this.#publisher.delivered().then(() => {
      offered.isDue = false;
      this.#offers.offer(
        owner,
        () => this.#make(state),
        () => this.#repeatTight(state),
      );
    });
  }

  /** Offers the bridge's own device. */
  showBridge(): void {
    if (this.#settings.mode === 'off') return;
    this.#offers.offer(documentOwner('bridge'), () => [bridgeDocument(this.#settings, this.#settings.language)]);
  }

  get #isWaiting(): boolean {
    return this.#settings.mode === 'off' || this.#store.isFirstRound;
  }

  #offeredOf({ device }: DeviceState): Offered {
    const offered = this.#offered.get(deviceKey(device)) ?? { tight: new Set(), isDue: false };
    this.#offered.set(deviceKey(device), offered);
    return offered;
  }

  /** Makes the documents when they are to be published; only then it is decided for good what the device is called. */
  #make(state: DeviceState): readonly Message[] {
    this.#names.decide(state);
    const topics = [...this.#publisher.topics.topicsOf(documentOwner(deviceKey(state.device)))];
    const published = new Set(topics.flatMap((topic) => documentObject(topic) ?? []));
    const device = { ...identityOf(state), title: this.#names.titleOf(state), tellsFaults: state.tellsFaults, offers: state.offers };
    return deviceDocuments(this.#settings, device, this.#forms.of(state).values(), this.#settings, published);
  }

  /** Values that were published before their document had room were dropped by hubs: they are published again. */
  #repeatTight(state: DeviceState): void {
    const { device } = state;
    const { tight } = this.#offeredOf(state);
    if (tight.size === 0) return;
    for (const name of tight) this.#publisher.showAll(featureOwner(device, name));
    // A word of a thermostat may have needed room too.
    for (const name of this.#publisher.topics.namesOf('composite', device)) this.#publisher.showAll(compositeOwner(device, name));
    tight.clear();
  }
}

const textOf = ({ features }: DeviceState, name: string): string | undefined => {
  const value = features.get(name)?.truth.properties.get('value')?.value;
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** What the device is, as far as its own features and the list of devices tell. */
export const identityOf = (state: DeviceState): DeviceIdentity => {
  const { name, installation, gateway, device, type, roles } = state.device;
  const model = textOf(state, 'device.variant') ?? state.device.model;
  const serial = textOf(state, 'device.serial') ?? textOf(state, 'heating.boiler.serial');
  return {
    name,
    installation,
    gateway,
    device,
    ...(model ? { model } : {}),
    ...(serial ? { serial } : {}),
    ...(type ? { type } : {}),
    ...(roles ? { roles } : {}),
  };
};
