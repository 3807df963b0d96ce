import type { Feature, Json } from '../../features/feature.ts';
import { bridgeDocument, type DeviceIdentity, deviceDocument, type Where } from '../../homeassistant/document.ts';
import type { Offering } from '../../homeassistant/entities/entity.ts';
import { type Form, singleDocuments } from '../../homeassistant/entityDocuments.ts';
import { partNamedBy } from '../../homeassistant/names.ts';
import { widened } from '../../homeassistant/widen.ts';
import type { Message } from '../../shared/message.ts';
import { type DeviceState, deviceKey } from '../devices/deviceState.ts';
import type { FeatureStore, FeaturesRead } from '../devices/featureStore.ts';
import type { PlannedReads } from '../polling/plannedReads.ts';
import type { RetainedPublisher } from '../publishing/retainedPublisher.ts';
import { compositeOwner, featureOwner } from '../publishing/topicOwnership.ts';
import type { DiscoveryPublisher } from './discoveryPublisher.ts';

export const documentOwner = (key: string): string => `document ${key}`;

/** `off`: no documents are offered; what they would offer is followed all the same. */
export type DocumentSettings = Where & Offering & { readonly form: Form | 'off' };

/** Keeps each device's discovery document in step with what its features look like. */
export class DeviceDocuments {
  readonly #settings: DocumentSettings;
  readonly #store: Pick<FeatureStore, 'isFirstRound'>;
  readonly #reads: Pick<PlannedReads, 'areComplete'>;
  readonly #publisher: RetainedPublisher;
  readonly #offers: Pick<DiscoveryPublisher, 'offer' | 'isFree'>;
  /** By device: its features as the document offers them, also with properties that have gone for a while (a sensor pulled out). */
  readonly #offered = new Map<string, Map<string, Feature>>();
  /** Devices whose features look other than in the published document. */
  readonly #changed = new Set<string>();
  readonly #due = new Set<string>();
  /** By device: features that show a value for which the published document has no room yet. */
  readonly #tight = new Map<string, Set<string>>();

  constructor(
    settings: DocumentSettings,
    store: Pick<FeatureStore, 'isFirstRound'>,
    reads: Pick<PlannedReads, 'areComplete'>,
    publisher: RetainedPublisher,
    offers: Pick<DiscoveryPublisher, 'offer' | 'isFree'>,
  ) {
    this.#settings = settings;
    this.#store = store;
    this.#reads = reads;
    this.#publisher = publisher;
    this.#offers = offers;
  }

  /** Features were read; true where one looks other than before, so that the document has to follow. */
  noteRead({ state, features }: FeaturesRead): boolean {
    const isChanged = this.restore(state, features);
    if (isChanged) this.#changed.add(deviceKey(state.device));
    return isChanged;
  }

  /** Features are known from an earlier run; true where one looks other than before. */
  restore(state: DeviceState, features: readonly Feature[]): boolean {
    const offered = this.#offeredOf(state);
    let changed = false;
    for (const feature of features) {
      const before = offered.get(feature.name);
      const now = widened(before, feature);
      if (before && looksSame(before, now)) continue;
      if (before && commandsOf(before) !== commandsOf(now)) this.#tightOf(state).add(feature.name);
      offered.set(feature.name, now);
      changed = true;
    }
    return changed;
  }

  /** The feature as the document offers it, where that is more than this record shows. */
  offeredBesides(state: DeviceState, feature: Feature): Feature | undefined {
    const offered = this.#offeredOf(state).get(feature.name);
    if (!offered) return undefined;
    const isMore = [...offered.properties].some(([name, { value }]) => isMissing(name, value, feature));
    return isMore || commandsOf(offered) !== commandsOf(feature) ? offered : undefined;
  }

  forget(state: DeviceState, features: readonly string[]): void {
    for (const name of features) this.#offeredOf(state).delete(name);
    this.show(state);
  }

  #offeredOf(state: DeviceState): Map<string, Feature> {
    const key = deviceKey(state.device);
    const offered = this.#offered.get(key) ?? new Map<string, Feature>();
    this.#offered.set(key, offered);
    return offered;
  }

  /** To be called before the values are shown: a hub drops a value for which its document has no room. */
  makeRoom({ state }: FeaturesRead): void {
    const key = deviceKey(state.device);
    if (!this.#changed.has(key) || this.#isWaiting || !this.#reads.areComplete(state) || this.#tightOf(state).size === 0) return;
    if (this.#due.has(key) || !this.#offers.isFree(documentOwner(key))) return;
    this.#tight.delete(key);
    this.#offers.offer(documentOwner(key), () => this.#documentOf(state));
  }

  #tightOf(state: DeviceState): Set<string> {
    const key = deviceKey(state.device);
    const tight = this.#tight.get(key) ?? new Set<string>();
    this.#tight.set(key, tight);
    return tight;
  }

  /** To be called after the values were shown: offers the document where it has changed. */
  follow({ state }: FeaturesRead): void {
    if (this.#changed.delete(deviceKey(state.device))) this.show(state);
  }

  /** Offers the device's document when the states are published. */
  show(state: DeviceState): void {
    const key = deviceKey(state.device);
    if (this.#isWaiting || state.features.size === 0 || this.#due.has(key)) return;
    // An incomplete document would remove entities that the next read brings back; only the first one ever may be incomplete.
    if (!this.#reads.areComplete(state) && this.#publisher.topics.topicsOf(documentOwner(key)).size > 0) return;
    this.#due.add(key);
    void this.#publisher.flushed().then(() => {
      this.#due.delete(key);
      this.#offers.offer(
        documentOwner(key),
        () => this.#documentOf(state),
        () => this.#repeatTight(state),
      );
    });
  }

  get #isWaiting(): boolean {
    return this.#settings.form === 'off' || this.#store.isFirstRound;
  }

  /** Offers the bridge's own device. */
  showBridge(): void {
    if (this.#settings.form === 'off') return;
    this.#offers.offer(documentOwner('bridge'), () => this.#inForm(bridgeDocument(this.#settings)));
  }

  #documentOf(state: DeviceState): readonly Message[] {
    return this.#inForm(deviceDocument(this.#settings, identityOf(state), this.#offeredOf(state).values(), this.#settings));
  }

  /** Values that were published before their document had room were dropped by hubs: they are published again. */
  #repeatTight(state: DeviceState): void {
    const { device } = state;
    const tight = [...this.#tightOf(state)];
    for (const name of tight) this.#publisher.showAll(featureOwner(device, name));
    // A word of a thermostat may have needed room too.
    for (const name of tight.length > 0 ? this.#publisher.topics.namesOf('composite', device) : [])
      this.#publisher.showAll(compositeOwner(device, name));
    this.#tight.delete(deviceKey(device));
  }

  #inForm(document: Message): readonly Message[] {
    return this.#settings.form === 'entity' ? singleDocuments(document) : [document];
  }
}

/** True where a document offers the feature as before: whatever its values, and also when a property has gone for a while. */
const looksSame = (before: Feature, now: Feature): boolean => {
  if (before.isEnabled !== now.isEnabled || before.isReady !== now.isReady) return false;
  if (partNamedBy(before)?.[1] !== partNamedBy(now)?.[1]) return false;
  for (const [name, { type, unit, value }] of now.properties) {
    const known = before.properties.get(name);
    if (known?.type !== type || known.unit !== unit || kindOf(name, known.value) !== kindOf(name, value)) return false;
  }
  return commandsOf(before) === commandsOf(now);
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

const SERIALS = ['device.serial', 'heating.boiler.serial'];
const MODELS = ['device.variant'];

const textOf = (state: DeviceState, names: readonly string[]): string | undefined => {
  for (const name of names) {
    const value = state.features.get(name)?.truth.properties.get('value')?.value;
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
};

/** What the device is, as far as its own features and the list of devices tell. */
export const identityOf = (state: DeviceState): DeviceIdentity => {
  const { name, installation, gateway, device, type, roles } = state.device;
  const model = textOf(state, MODELS) ?? state.device.model;
  const serial = textOf(state, SERIALS);
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
