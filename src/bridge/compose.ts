import type { Feature } from '../features/feature.ts';
import type { Where } from '../homeassistant/document.ts';
import { DeepFeatureSubscriptions } from './commands/deepFeatureSubscriptions.ts';
import { isAllowed } from './commands/evaluate.ts';
import type { BridgeSettings, Dependencies } from './dependencies.ts';
import { Devices } from './devices/deviceRegistry.ts';
import { type DeviceState, deviceKey } from './devices/deviceState.ts';
import { PendingWrites } from './devices/pendingWrites.ts';
import { StateRepository } from './devices/stateRepository.ts';
import { DeviceDocuments } from './discovery/deviceDocuments.ts';
import { DiscoveryPublisher } from './discovery/discoveryPublisher.ts';
import { DocumentGuard } from './discovery/documentGuard.ts';
import { Confirmation } from './execution/confirmation.ts';
import { type InterruptedWrite, interruptedWrites, pendingOf } from './execution/journalRecovery.ts';
import { RecordReader } from './execution/recordReader.ts';
import { FeatureReader } from './polling/featureReader.ts';
import { PlannedReads } from './polling/plannedReads.ts';
import { PlatformAccess } from './polling/platformAccess.ts';
import { Poller } from './polling/poller.ts';
import { PollStatistics } from './polling/pollStatistics.ts';
import { ReadHandler } from './polling/readHandler.ts';
import type { CallFailure } from './ports.ts';
import { Composites } from './publishing/composites.ts';
import { DeviceTopics } from './publishing/deviceTopics.ts';
import { RetainedPublisher } from './publishing/retainedPublisher.ts';
import { ScheduleTimer } from './publishing/scheduleTimer.ts';

/** The way from the platform to the broker, with what is known on it. */
export type Reading = {
  /** What an earlier run has left in the journal. */
  readonly left: readonly InterruptedWrite[];
  readonly where: Where;
  readonly publisher: RetainedPublisher;
  readonly recollection: StateRepository;
  readonly devices: Devices;
  readonly reads: PlannedReads;
  readonly tally: PollStatistics;
  readonly access: PlatformAccess;
  readonly documents: DeviceDocuments;
  readonly offers: DiscoveryPublisher;
  readonly composites: Composites;
  readonly topics: DeviceTopics;
  readonly clockwork: ScheduleTimer;
  readonly deepFeatures: DeepFeatureSubscriptions;
  readonly reader: FeatureReader;
  readonly poller: Poller;
  readonly confirmation: Confirmation;
  readonly records: RecordReader;
  /** The devices, or what may be read of them, are others than before. */
  readonly replan: () => void;
  /** What a failed call says about all others. */
  readonly heed: (failure: CallFailure) => void;
};

/** What the rest of the bridge wants to know of the reads. */
export type ReadingEvents = {
  /** `Reading.access` changed. */
  readonly onAccess: () => void;
  /** These features of the device were read. */
  readonly onSeen: (state: DeviceState, features: readonly Feature[]) => void;
};

/** Makes and joins who reads, keeps and publishes; nothing begins before the poller is run. */
export const makeReading = (
  settings: BridgeSettings,
  doors: Dependencies,
  signal: AbortSignal,
  { onAccess, onSeen }: ReadingEvents,
): Reading => {
  const { clock, log, quota, finder } = doors;
  const { base, poll, discovery, commands, profiles } = settings;
  const where = { base, prefix: discovery.prefix, version: settings.version };
  const { ledger, readRetained: read } = doors;
  const publisher = new RetainedPublisher(doors.connection, ledger, log, read && new DocumentGuard({ base, ledger, read, clock, log }));
  const recollection = new StateRepository(doors.memory, clock);
  const left = interruptedWrites(doors.journal);
  const settleMs = Math.max(...commands.confirm_s) * 1000;
  const pendingOn = new Map<string, PendingWrites>();
  const devices = new Devices(poll.gone_after_h, recollection, clock, (device) => {
    // A device may leave the platform's list and come back.
    const known = pendingOn.get(deviceKey(device));
    if (known) return known;
    const pending = new PendingWrites(settleMs);
    pendingOn.set(deviceKey(device), pending);
    for (const write of pendingOf(left, device, clock.elapsedMs())) pending.add(write);
    return pending;
  });
  for (const device of finder ? (finder.devices() ?? []) : settings.devices) devices.add(device);
  const reads = new PlannedReads(settings, devices, publisher, clock);
  const tally = new PollStatistics(clock);
  const offering = { profiles, isAllowed: (feature: string, command: string) => isAllowed(commands, feature, command) };
  const offers = new DiscoveryPublisher(publisher, doors.documentStore, clock, signal);
  const documents = new DeviceDocuments({ ...where, form: discovery.mode === 'entity' ? 'entity' : 'device' }, offering, publisher, offers);
  const composites = new Composites(base, publisher, doors.compositeStore);
  const offersDocuments = discovery.mode !== 'off';
  const clockwork = new ScheduleTimer({
    states: devices.states,
    zones: { ...settings.timeZone, installation: (id) => finder?.timeZoneOf(id) },
    show: (state, feature) => topics.showFeature(state, feature),
    clock,
    log,
  });
  const deepFeatures = new DeepFeatureSubscriptions({ base, connection: doors.connection, log });
  const topics = new DeviceTopics({
    base,
    offersDocuments,
    profiles,
    devices,
    reads,
    documents,
    composites,
    publisher,
    recollection,
    clockwork,
    deepFeatures,
    log,
  });
  const replan = (): void => {
    if (reads.replan()) poller.setReads(reads.all);
  };
  const access = new PlatformAccess(clock);
  const heed = (failure: CallFailure): void => {
    heedLimit(failure, doors);
    if (access.callFailed(failure)) onAccess();
  };
  const { journal } = doors;
  const known = { devices, reads, topics, documents, publisher, recollection, clockwork, tally, access, finder, journal, log };
  const findings = new ReadHandler({
    ...{ ...known, onFailure: heed, onAccess, replan },
    confirm: (state, seen) => {
      confirmation.seen(state, seen);
      onSeen(state, seen);
    },
    worked: (read) => {
      if (quota.worked()) log.info({}, 'the platform takes calls again');
      poller.worked(read);
    },
  });
  const reader = new FeatureReader(doors.platform, devices.states, findings, clock, log, signal);
  const poller = new Poller(reads.all, poll, reader, quota, clock, log, (read) => recollection.lastReadMs(read));
  const records = new RecordReader(reader, reads, poller, quota, commands.confirm_s, clock, signal);
  const confirmation = new Confirmation(records, clock, commands.confirm_s, signal);
  return {
    left,
    where,
    publisher,
    recollection,
    devices,
    reads,
    tally,
    access,
    documents,
    offers,
    composites,
    topics,
    clockwork,
    deepFeatures,
    reader,
    poller,
    confirmation,
    records,
    replan,
    heed,
  };
};

const heedLimit = (failure: CallFailure, { clock, quota, log }: Dependencies): void => {
  if (failure.code !== 'rate_limited') return;
  const now = clock.elapsedMs();
  if (!quota.refused(failure, now)) return;
  const until = new Date(clock.now() + quota.pausedForMs(now)).toISOString();
  log.warn({ until }, 'the platform refuses further calls (429); nothing is sent until then');
};
