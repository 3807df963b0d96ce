import type { Feature } from '../../features/feature.ts';
import { GATEWAY_DEVICE } from '../../features/parseFeature.ts';
import { TIME_ZONE_FEATURE } from '../../features/timeZone.ts';
import type { Log } from '../../shared/log.ts';
import type { Devices } from '../devices/deviceRegistry.ts';
import type { DeviceState } from '../devices/deviceState.ts';
import type { StateRepository } from '../devices/stateRepository.ts';
import type { DeviceDocuments } from '../discovery/deviceDocuments.ts';
import type { CallFailure, Journal } from '../ports.ts';
import type { DeviceTopics } from '../publishing/deviceTopics.ts';
import type { RetainedPublisher } from '../publishing/retainedPublisher.ts';
import type { ScheduleTimer } from '../publishing/scheduleTimer.ts';
import { publishedFeatures } from '../publishing/topicOwnership.ts';
import type { DeviceDiscovery } from './deviceDiscovery.ts';
import type { ReaderEvents, ReadResult } from './featureReader.ts';
import type { PlannedReads } from './plannedReads.ts';
import type { PlatformAccess } from './platformAccess.ts';
import type { PollStatistics } from './pollStatistics.ts';
import type { ReadTarget } from './readTarget.ts';

export type FindingsParts = {
  readonly devices: Devices;
  readonly reads: PlannedReads;
  readonly topics: DeviceTopics;
  readonly documents: DeviceDocuments;
  readonly publisher: RetainedPublisher;
  readonly recollection: StateRepository;
  readonly journal: Pick<Journal, 'settled'>;
  readonly clockwork: Pick<ScheduleTimer, 'zonesRead' | 'warn'>;
  readonly tally: PollStatistics;
  readonly access: PlatformAccess;
  /** Present where devices are found by asking. */
  readonly finder: DeviceDiscovery | undefined;
  readonly log: Log;
  /** Told first of what was read: somebody may be waiting for it. */
  readonly confirm: (state: DeviceState, features: readonly Feature[]) => void;
  readonly onFailure: (failure: CallFailure) => void;
  /** The platform lets the login in, or no more. */
  readonly onAccess: () => void;
  /** A read worked, whoever made it. */
  readonly worked: (read: ReadTarget) => void;
  /** A way of reading is closed: the reads have to be planned anew. */
  readonly replan: () => void;
};

/** What follows from what was read: it is kept, published, and looked through for what is new or gone. */
export class ReadHandler implements ReaderEvents {
  readonly #parts: FindingsParts;

  constructor(parts: FindingsParts) {
    this.#parts = parts;
  }

  seen(state: DeviceState, features: readonly Feature[], startedAtMs: number): void {
    const { reads, topics, documents, recollection, clockwork, confirm, journal } = this.#parts;
    confirm(state, features);
    const [first] = features;
    if (!first) return;
    const looksOther = documents.noteShapes(state, features);
    const whole = reads.showing(state, first.name).target.feature === undefined;
    recollection.seen(state, features, startedAtMs, whole, documents);
    // Only now: what was accepted must not be forgotten before what shows it is kept.
    for (const key of state.pending.takeSettled()) journal.settled(key);
    if (looksOther) topics.makeRoom(state);
    for (const { name } of features) topics.showFeature(state, name);
    topics.showComposites(state);
    if (features.some(({ name }) => name === TIME_ZONE_FEATURE)) clockwork.zonesRead();
    if (looksOther) topics.showDocument(state);
  }

  /** A complete read: what was published of the device, also in an earlier run, and is not listed any more, will be gone some time. */
  listed(state: DeviceState, listed: ReadonlySet<string>): void {
    const { devices, publisher, topics, documents, recollection, log } = this.#parts;
    const known = new Set([...state.features.keys(), ...publishedFeatures(publisher, state.device)]);
    const gone = devices.missing(
      state,
      [...known].filter((name) => !listed.has(name)),
    );
    if (gone.length === 0) return;
    for (const name of gone) state.features.delete(name);
    topics.clearFeatures(state, gone);
    topics.showComposites(state);
    log.info({ device: state.device.name, features: gone }, 'the platform no longer has these features; their topics were cleared');
    recollection.gone(state, gone);
    documents.forget(state, gone);
    topics.showDocument(state);
  }

  ended(state: DeviceState, read: ReadTarget, result: ReadResult): void {
    const { devices, reads, topics, tally, access, clockwork, worked, onAccess } = this.#parts;
    tally.ended(result);
    if (result.ok) worked(read);
    if (result.ok && access.worked()) onAccess();
    if (reads.ended(read, result)) topics.showDocument(state);
    devices.readEnded(state, read, result);
    topics.showDevice(state);
    // Devices that are found later were not read in the first round.
    if (result.ok && [...devices.states.values()].every((one) => reads.areComplete(one))) clockwork.warn();
  }

  failed(read: ReadTarget, failure: CallFailure): void {
    const { reads, finder, access, onFailure, onAccess, replan } = this.#parts;
    onFailure(failure);
    if (reads.failed(read, failure)) replan();
    if (access.readFailed(read, failure, reads.all)) onAccess();
    if (failure.code === 'not_found') finder?.look();
  }

  stranger(gateway: string, device: string): void {
    const { devices, finder } = this.#parts;
    if (device === GATEWAY_DEVICE) finder?.gatewaySeen(gateway);
    else if (devices.isNewStranger(gateway, device)) finder?.look();
  }
}
