import { bridgeDocument, type DeviceIdentity, deviceDocuments, type Where } from '../../../homeassistant/document.ts';
import { documentObject } from '../../../homeassistant/documents/publishedDocument.ts';
import type { Offering } from '../../../homeassistant/entities/entity.ts';
import type { Message } from '../../../shared/message.ts';
import { type DeviceState, deviceKey } from '../../state/deviceState.ts';
import type { FeatureForms, FormChange } from '../../state/featureForms.ts';
import type { FeatureStore } from '../../state/featureStore.ts';
import type { Completeness } from '../../state/readTarget.ts';
import type { RetainedPublisher } from '../broker/retainedPublisher.ts';
import { documentOwner } from '../broker/topicOwnership.ts';
import type { DeviceNames } from './deviceNames.ts';
import type { DiscoveryPublisher } from './discoveryPublisher.ts';

/** `off`: no documents are offered, but their content is still tracked. */
export type DocumentSettings = Where & Offering & { readonly mode: 'device' | 'off' };

/** Keeps each device's discovery document consistent with its features. */
export const deviceDocumentsOf = (
  settings: DocumentSettings,
  store: Pick<FeatureStore, 'isFirstRound' | 'states'>,
  reads: Completeness,
  names: Pick<DeviceNames, 'decide' | 'titleOf'>,
  publisher: RetainedPublisher,
  offers: Pick<DiscoveryPublisher, 'offer' | 'isFree'>,
  forms: Pick<FeatureForms, 'of'>,
) => {
  /** Owners whose document is offered once the values are published. */
  const due = new Set<string>();
  const ownerOf = ({ device }: DeviceState): string => documentOwner(deviceKey(device));

  /**
   * These features were read and have a new form. Call this before their values are shown: a hub drops a
   * value that its document does not allow. The document (`show`) must follow.
   */
  const makeRoom = (state: DeviceState, changes: readonly FormChange[]): void => {
    const owner = ownerOf(state);
    if (!changes.some(({ hasOtherCommands }) => hasOtherCommands) || due.has(owner) || isWaiting()) return;
    if (reads.areComplete(state) && offers.isFree(owner)) void offers.offer(owner, { make: make(state), isAhead: true });
  };

  /** Offers the device's document when the states are published. */
  const show = (state: DeviceState): void => {
    const owner = ownerOf(state);
    if (isWaiting() || state.features.size === 0 || due.has(owner)) return;
    // An incomplete document would remove entities temporarily; only the very first may be incomplete.
    if (!reads.areComplete(state) && publisher.topics.topicsOf(owner).length > 0) return;
    due.add(owner);
    // By then the broker has also sent what other clients published on their topics.
    void publisher.delivered().then(() => {
      due.delete(owner);
      // The device may be gone meanwhile, or be a new one with the same key.
      const now = store.states.get(deviceKey(state.device));
      if (now) void offers.offer(owner, { make: make(now), isAhead: false });
    });
  };

  /** Offers the bridge's own device. */
  const showBridge = (): void => {
    if (settings.mode === 'off') return;
    void offers.offer(documentOwner('bridge'), { make: () => [bridgeDocument(settings, settings.language)] });
  };

  const isWaiting = (): boolean => settings.mode === 'off' || store.isFirstRound;

  /** Builds the documents at publication, when the device's name is finally decided. */
  const make = (state: DeviceState) => (): readonly Message[] => {
    // The device is gone: its gateway passed to another account.
    if (!store.states.has(deviceKey(state.device))) return [];
    names.decide(state);
    const topics = publisher.topics.topicsOf(ownerOf(state));
    const published = new Set(topics.flatMap((topic) => documentObject(topic) ?? []));
    const device = { ...identityOf(state), title: names.titleOf(state), tellsFaults: state.tellsFaults, offers: state.offers };
    return deviceDocuments(settings, device, forms.of(state).values(), settings, published);
  };

  return { makeRoom, show, showBridge };
};

/** The device's identity, from its own features and the device list. */
export const identityOf = (state: DeviceState): DeviceIdentity => {
  const { name, installation, gateway, device, type, roles } = state.device;
  const model = state.textOf('device.variant') || state.device.model;
  const serial = state.textOf('device.serial') || state.textOf('heating.boiler.serial') || undefined;
  return { name, installation, gateway, device, model, serial, type, roles };
};
