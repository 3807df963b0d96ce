import type { Feature, Json } from '../../../features/feature.ts';
import { bridgeDocument, type DeviceIdentity, deviceDocuments, type Where } from '../../../homeassistant/document.ts';
import { documentObject } from '../../../homeassistant/documents/publishedDocument.ts';
import type { Offering } from '../../../homeassistant/entities/entity.ts';
import { partNamedBy } from '../../../homeassistant/names.ts';
import { widened } from '../../../homeassistant/widen.ts';
import type { Message } from '../../../shared/message.ts';
import { type DeviceState, deviceKey } from '../../state/deviceState.ts';
import type { FeatureStore, FeaturesRead } from '../../state/featureStore.ts';
import type { Completeness } from '../../state/readTarget.ts';
import type { RetainedPublisher } from '../broker/retainedPublisher.ts';
import { compositeOwner, documentOwner, featureOwner } from '../broker/topicOwnership.ts';
import type { DeviceNames } from './deviceNames.ts';
import type { DiscoveryPublisher } from './discoveryPublisher.ts';

/** `off`: no documents are offered; what they would offer is followed all the same. */
export type DocumentSettings = Where & Offering & { readonly mode: 'device' | 'off' };

type Offered = {
  /** The features as the document offers them, also with properties that have gone for a while (a sensor pulled out). */
  readonly features: Map<string, Feature>;
  /** Features that show a value for which the published document has no room yet. */
  readonly tight: Set<string>;
  /** A feature looks other than in the published document. */
  isChanged: boolean;
  /** The document is offered as soon as the values are published. */
  isDue: boolean;
};

/** Keeps each device's discovery document in step with what its features look like. */
export class DeviceDocuments {
  readonly #settings: DocumentSettings;
  readonly #store: Pick<FeatureStore, 'isFirstRound'>;
  readonly #reads: Completeness;
  readonly #names: Pick<DeviceNames, 'titleOf'>;
  readonly #publisher: RetainedPublisher;
  readonly #offers: Pick<DiscoveryPublisher, 'offer' | 'isFree'>;
  /** By the key of the device. */
  readonly #offered = new Map<string, Offered>();

  constructor(
    settings: DocumentSettings,
    store: Pick<FeatureStore, 'isFirstRound'>,
    reads: Completeness,
    names: Pick<DeviceNames, 'titleOf'>,
    publisher: RetainedPublisher,
    offers: Pick<DiscoveryPublisher, 'offer' | 'isFree'>,
  ) {
    this.#settings = settings;
    this.#store = store;
    this.#reads = reads;
    this.#names = names;
    this.#publisher = publisher;
    this.#offers = offers;
  }

  /** Features were read; true where one looks other than before, so that the document has to follow. */
  noteRead({ state, changed }: FeaturesRead): boolean {
    const isChanged = this.restore(state, changed);
    if (isChanged) this.#offeredOf(state).isChanged = true;
    return isChanged;
  }

  /** Features are known from an earlier run; true where one looks other than before. */
  restore(state: DeviceState, features: readonly Feature[]): boolean {
    const { features: offered, tight } = this.#offeredOf(state);
    let changed = false;
    for (const feature of features) {
      const before = offered.get(feature.name);
      const now = widened(before, feature);
      if (before && looksSame(before, now)) continue;
      if (before && commandsOf(before) !== commandsOf(now)) tight.add(feature.name);
      offered.set(feature.name, now);
      changed = true;
    }
    return changed;
  }

  /** By name, the features that were read as the document offers them, where that is more than their records show. */
  offeredBesides({ state, changed }: FeaturesRead): ReadonlyMap<string, Feature> {
    const all = this.#offeredOf(state).features;
    return new Map(
      changed.flatMap((feature) => {
        const offered = all.get(feature.name);
        return offered && isMore(offered, feature) ? [[feature.name, offered]] : [];
      }),
    );
  }

  forget(state: DeviceState, features: readonly string[]): void {
    for (const name of features) this.#offeredOf(state).features.delete(name);
    this.show(state);
  }

  /** To be called before the values are shown: a hub drops a value for which its document has no room. */
  makeRoom({ state }: FeaturesRead): void {
    const { isChanged, isDue, tight } = this.#offeredOf(state);
    if (!isChanged || isDue || tight.size === 0 || this.#isWaiting || !this.#reads.areComplete(state)) return;
    const owner = documentOwner(deviceKey(state.device));
    if (!this.#offers.isFree(owner)) return;
    tight.clear();
    this.#offers.offer(owner, () => this.#documentsOf(state));
  }

  /** To be called after the values were shown: offers the document where it has changed. */
  follow({ state }: FeaturesRead): void {
    const offered = this.#offeredOf(state);
    if (offered.isChanged) this.show(state);
    offered.isChanged = false;
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
        () => this.#documentsOf(state),
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
    const offered = this.#offered.get(deviceKey(device)) ?? { features: new Map(), tight: new Set(), isChanged: false, isDue: false };
    this.#offered.set(deviceKey(device), offered);
    return offered;
  }

  #documentsOf(state: DeviceState): readonly Message[] {
    const { features } = this.#offeredOf(state);
    const topics = [...this.#publisher.topics.topicsOf(documentOwner(deviceKey(state.device)))];
    const published = new Set(topics.flatMap((topic) => documentObject(topic) ?? []));
    const device = { ...identityOf(state), title: this.#names.titleOf(state) };
    return deviceDocuments(this.#settings, device, features.values(), this.#settings, published);
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

const NAMING: ReadonlySet<string> = new Set(['device.name', 'device.variant']);

/** True where a document offers the feature as before: whatever its values, and also when a property has gone for a while. */
const looksSame = (before: Feature, now: Feature): boolean => {
  if (before.isEnabled !== now.isEnabled || before.isReady !== now.isReady) return false;
  if (partNamedBy(before)?.[1] !== partNamedBy(now)?.[1] || nameIn(before) !== nameIn(now)) return false;
  for (const [name, { type, unit, value }] of now.properties) {
    const known = before.properties.get(name);
    if (known?.type !== type || known.unit !== unit || kindOf(name, known.value) !== kindOf(name, value)) return false;
  }
  return commandsOf(before) === commandsOf(now);
};

/** What the device is called by this feature, if it is one that names it. */
const nameIn = ({ name, properties }: Feature): Json | undefined =>
  NAMING.has(name) ? (properties.get('name') ?? properties.get('value'))?.value : undefined;

/** True where a document offers more of the feature than its record shows. */
const isMore = (offered: Feature, feature: Feature): boolean => {
  for (const [name, { value }] of offered.properties) if (isMissing(name, value, feature)) return true;
  return commandsOf(offered) !== commandsOf(feature);
};

const isMissing = (name: string, value: Json | undefined, { properties }: Feature): boolean => {
  const now = properties.get(name);
  return now === undefined || (value !== undefined && (now.value === undefined || kindOf(name, now.value) !== kindOf(name, value)));
};

// Of a list its first element decides how it is offered, `enabled` names the parts that are there, `status` whether a sensor is, and old
// records have the unit of a property in another one.
const kindOf = (name: string, value: Json | undefined): string => {
  if (typeof value === 'string' && /^unit$|Unit$/.test(name)) return `unit ${value}`;
  if (name === 'status') return value === 'notConnected' ? value : typeof value;
  if (!Array.isArray(value)) return typeof value;
  return name === 'enabled' ? JSON.stringify(value) : `list of ${typeof value[0]}`;
};

const commandsOf = ({ commands }: Feature): string =>
  commands.size === 0 ? '' : JSON.stringify([...commands.values()].map(({ name, params }) => [name, [...params]]));

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
