import type { Profile } from '../../schedule/profile.ts';
import type { Log } from '../../shared/log.ts';
import { featureState } from '../../topics/featureState.ts';
import { deviceTopic } from '../../topics/topicNames.ts';
import type { DeepFeatureSubscriptions } from '../commands/deepFeatureSubscriptions.ts';
import type { Devices } from '../devices/deviceRegistry.ts';
import { type DeviceState, deviceKey } from '../devices/deviceState.ts';
import type { StateRepository } from '../devices/stateRepository.ts';
import { type DeviceDocuments, documentOwner, identityOf } from '../discovery/deviceDocuments.ts';
import type { PlannedReads } from '../polling/plannedReads.ts';
import type { Composites } from './composites.ts';
import type { RetainedPublisher } from './retainedPublisher.ts';
import type { ScheduleTimer } from './scheduleTimer.ts';
import { featureOwner } from './topicOwnership.ts';

export type DeviceTopicsParts = {
  readonly base: string;
  /** False where hubs are offered no documents. */
  readonly offersDocuments: boolean;
  readonly profiles: readonly Profile[];
  readonly devices: Devices;
  readonly reads: PlannedReads;
  readonly documents: DeviceDocuments;
  readonly composites: Composites;
  readonly publisher: RetainedPublisher;
  readonly recollection: StateRepository;
  readonly clockwork: Pick<ScheduleTimer, 'moments'>;
  readonly deepFeatures: Pick<DeepFeatureSubscriptions, 'known'>;
  readonly log: Log;
};

/** What is published of a device: its features, its availability, what it is, and its document. */
export class DeviceTopics {
  readonly #parts: DeviceTopicsParts;
  readonly #toldHomeless = new Set<string>();
  #firstRound = true;

  constructor(parts: DeviceTopicsParts) {
    this.#parts = parts;
  }

  /** Until the first round has ended a device is known in part: `info` and documents wait for it. */
  get isFirstRound(): boolean {
    return this.#firstRound;
  }

  /** The first round has ended: what waited for it is published. */
  firstRoundEnded(): void {
    this.#firstRound = false;
    for (const state of this.#parts.devices.states.values()) {
      this.showDevice(state);
      this.showDocument(state);
    }
  }

  showFeature(state: DeviceState, name: string): void {
    const feature = state.shown(name);
    if (!feature) return;
    const { base, profiles, publisher, clockwork, deepFeatures } = this.#parts;
    deepFeatures.known(name);
    const { messages, homeless } = featureState(base, state.device.name, feature, profiles, clockwork.moments(state, feature));
    for (const property of homeless) this.#tellHomeless(state, name, property);
    publisher.assign(featureOwner(state.device, name), messages);
  }

  /** To be told after features were: composites are made of several. */
  showComposites(state: DeviceState): void {
    const { composites, reads } = this.#parts;
    composites.show(state, reads.areComplete(state));
  }

  /** Clears the topics of features that the device has no more. */
  clearFeatures(state: DeviceState, names: readonly string[]): void {
    for (const name of names) this.#parts.publisher.assign(featureOwner(state.device, name), []);
  }

  showDevice(state: DeviceState): void {
    const { base, devices, publisher, recollection } = this.#parts;
    const availability = devices.availability(state)?.message(base, state);
    if (!availability) return;
    recollection.keepAvailability(state, availability.payload === 'online' ? 'online' : 'offline');
    publisher.assign(`availability ${deviceKey(state.device)}`, [availability]);
    const info = { topic: deviceTopic(base, state.device.name, 'info'), payload: JSON.stringify(identityOf(state)), retain: true };
    if (!this.#firstRound) publisher.assign(`info ${deviceKey(state.device)}`, [info]);
  }

  /** To be told before features are shown that look other than before. */
  makeRoom(state: DeviceState): void {
    if (this.#parts.offersDocuments && !this.#firstRound && this.#parts.reads.areComplete(state)) this.#parts.documents.makeRoom(state);
  }

  showDocument(state: DeviceState): void {
    const { offersDocuments, publisher, reads, documents } = this.#parts;
    if (!offersDocuments || this.#firstRound) return;
    const complete = reads.areComplete(state);
    // An incomplete document would take entities away that the next read brings back; only the very first one may be incomplete.
    const owner = documentOwner(deviceKey(state.device));
    if (state.features.size > 0 && (complete || !publisher.owners().includes(owner))) documents.publish(state);
  }

  #tellHomeless(state: DeviceState, feature: string, property: string): void {
    const key = `${deviceKey(state.device)} ${feature} ${property}`;
    if (this.#toldHomeless.has(key)) return;
    this.#toldHomeless.add(key);
    this.#parts.log.warn(
      { device: state.device.name, feature, property },
      'this property has a name that the topics keep for themselves; its value is in the record only',
    );
  }
}
