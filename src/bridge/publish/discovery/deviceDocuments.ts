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
export const deviceDocumentsOf = (
  settings: DocumentSettings,
  store: Pick<FeatureStore, 'isFirstRound'>,
  reads: Completeness,
  names: Pick<DeviceNames, 'decide' | 'titleOf'>,
  publisher: RetainedPublisher,
  offers: Pick<DiscoveryPublisher, 'offer' | 'isFree'>,
  forms: Pick<FeatureForms, 'of'>,
) => {
  /** By the key of the device. */
  const byDevice = new Map<string, Offered>();

  /** What an earlier run knew of these features; it has published their document. */
  const noteRestored = (state: DeviceState, changes: readonly FormChange[]): void => {
    const { tight } = offeredOf(state);
    for (const { feature, hasOtherCommands } of changes) if (hasOtherCommands) tight.add(feature);
  };

  /**
   * These features were read, and look other than before. To be called before their values are shown: a hub drops a value for which its
   * document has no room. After that the document has to follow (`show`).
   */
  const makeRoom = (state: DeviceState, changes: readonly FormChange[]): void => {
    noteRestored(state, changes);
    const { isDue, tight } = offeredOf(state);
    if (changes.length === 0 || isDue || tight.size === 0 || isWaiting() || !reads.areComplete(state)) return;
    const owner = documentOwner(deviceKey(state.device));
    if (!offers.isFree(owner)) return;
    tight.clear();
    void offers.offer(owner, { make: make(state) });
  };

  /** Offers the device's document when the states are published. */
  const show = (state: DeviceState): void => {
    const offered = offeredOf(state);
    const owner = documentOwner(deviceKey(state.device));
    if (isWaiting() || state.features.size === 0 || offered.isDue) return;
    // An incomplete document would remove entities that the next read brings back; only the first one ever may be incomplete.
    if (!reads.areComplete(state) && publisher.topics.topicsOf(owner).length > 0) return;
    offered.isDue = true;
    // Then the broker has shown, too, what other clients have published on their topics.
    void publisher.delivered().then(() => {
      offered.isDue = false;
      void offers.offer(owner, { make: make(state), published: (wider) => repeatTight(state, wider) });
    });
  };

  /** Offers the bridge's own device. */
  const showBridge = (): void => {
    if (settings.mode === 'off') return;
    void offers.offer(documentOwner('bridge'), { make: () => [bridgeDocument(settings, settings.language)] });
  };

  const isWaiting = (): boolean => settings.mode === 'off' || store.isFirstRound;

  const offeredOf = ({ device }: DeviceState): Offered => {
    const offered = byDevice.get(deviceKey(device)) ?? { tight: new Set(), isDue: false };
    byDevice.set(deviceKey(device), offered);
    return offered;
  };

  /** Makes the documents when they are to be published; only then it is decided for good what the device is called. */
  const make = (state: DeviceState) => (): readonly Message[] => {
    names.decide(state);
    const topics = publisher.topics.topicsOf(documentOwner(deviceKey(state.device)));
    const published = new Set(topics.flatMap((topic) => documentObject(topic) ?? []));
    const device = { ...identityOf(state), title: names.titleOf(state), tellsFaults: state.tellsFaults, offers: state.offers };
    return deviceDocuments(settings, device, forms.of(state).values(), settings, published);
  };

  /** Values that were published before their document had room were dropped by hubs: they are published again. `wider`: their topics. */
  const repeatTight = (state: DeviceState, wider: readonly string[]): void => {
    for (const topic of wider) publisher.show(topic);
    const { device } = state;
    const { tight } = offeredOf(state);
    if (tight.size === 0) return;
    for (const name of tight) publisher.showAll(featureOwner(device, name));
    // A word of a thermostat may have needed room too.
    for (const name of publisher.topics.namesOf('composite', device)) publisher.showAll(compositeOwner(device, name));
    tight.clear();
  };

  return { noteRestored, makeRoom, show, showBridge };
};

const textOf = ({ features }: DeviceState, name: string): string | undefined => {
  const value = features.get(name)?.truth.properties.get('value')?.value;
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** What the device is, as far as its own features and the list of devices tell. */
export const identityOf = (state: DeviceState): DeviceIdentity => {
  const { name, installation, gateway, device, type, roles } = state.device;
  const model = textOf(state, 'device.variant') ?? state.device.model;
  const serial = textOf(state, 'device.serial') ?? textOf(state, 'heating.boiler.serial');
  return { name, installation, gateway, device, model, serial, type, roles };
};
