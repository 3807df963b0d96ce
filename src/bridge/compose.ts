import { bridgeTopic } from '../topics/topicNames.ts';
import { Bridge, type Task } from './bridge.ts';
import { commandReceiver } from './commands/commandReceiver.ts';
import { DeepFeatureSubscriptions } from './commands/deepFeatureSubscriptions.ts';
import { DuplicateMessages } from './commands/duplicateMessages.ts';
import { isAllowed } from './commands/evaluate.ts';
import { RetainedCommands } from './commands/retainedCommands.ts';
import { makeCommands } from './composeCommands.ts';
import type { BridgeSettings, Dependencies } from './dependencies.ts';
import { watchAvailability } from './devices/availabilityWatchdog.ts';
import { type Device, type DeviceState, deviceKey } from './devices/deviceState.ts';
import { FeatureStore } from './devices/featureStore.ts';
import { PendingWrites } from './devices/pendingWrites.ts';
import { StateRepository } from './devices/stateRepository.ts';
import { DeviceDocuments } from './discovery/deviceDocuments.ts';
import { DiscoveryPublisher } from './discovery/discoveryPublisher.ts';
import { DocumentGuard } from './discovery/documentGuard.ts';
import { Confirmation } from './execution/confirmation.ts';
import { type InterruptedWrite, interruptedWrites, pendingOf } from './execution/journalRecovery.ts';
import { recordReader } from './execution/recordReader.ts';
import { FeatureReader } from './polling/featureReader.ts';
import { PlannedReads } from './polling/plannedReads.ts';
import { PlatformAccess } from './polling/platformAccess.ts';
import { Poller } from './polling/poller.ts';
import { PollStatistics } from './polling/pollStatistics.ts';
import { cleanUpTopics } from './publishing/cleanUpTopics.ts';
import { Composites } from './publishing/composites.ts';
import { DeviceTopics } from './publishing/deviceTopics.ts';
import { MqttSession } from './publishing/mqttSession.ts';
import { RetainedMonitor } from './publishing/retainedMonitor.ts';
import { RetainedPublisher } from './publishing/retainedPublisher.ts';
import { ScheduleTimer } from './publishing/scheduleTimer.ts';
import { documentOwner } from './publishing/topicOwnership.ts';
import { BridgeCommands } from './status/bridgeCommands.ts';
import { profileCheck } from './status/profileCheck.ts';
import { healthReport, infoReport, quotaReport } from './status/reportSources.ts';
import { StatusPublisher } from './status/statusPublisher.ts';

/** Where the platform does not answer, what is known is published after this time all the same. */
const FIRST_ROUND_MS = 10_000;

/** Creates the parts of the bridge in the order in which they need each other, and connects their events. Nothing runs before `start`. */
export const createBridge = (settings: BridgeSettings, dependencies: Dependencies): Bridge => {
  const { platform, connection, ledger, readRetained, journal, quota, auth, discovery, clock, log } = dependencies;
  const { base, profiles, poll, commands } = settings;
  const { prefix, mode, statusTopic } = settings.discovery;
  const stopping = new AbortController();
  const { signal } = stopping;

  // To the broker.
  const guard = readRetained && new DocumentGuard({ base, ledger, read: readRetained, clock, log });
  const publisher = new RetainedPublisher(connection, ledger, log, guard);
  const offers = new DiscoveryPublisher(publisher, dependencies.documentStore, clock, signal);
  const hubTopic = mode === 'off' && !offers.matters ? undefined : statusTopic;
  const session = new MqttSession({ base, hubTopic }, connection, clock, log);
  const monitor = new RetainedMonitor({ stateTopic: bridgeTopic(base, 'state'), connection, ledger, publisher, clock, log, signal });
  const deepFeatures = new DeepFeatureSubscriptions({ base, connection, log });

  // What is known of the devices.
  const repository = new StateRepository(dependencies.memory, clock);
  const left = interruptedWrites(journal);
  const pendingWrites = keptPending(left, Math.max(...commands.confirm_s) * 1000, () => clock.elapsedMs());
  const store = new FeatureStore(poll.gone_after_h, repository, clock, pendingWrites);
  for (const device of discovery ? (discovery.devices() ?? []) : settings.devices) store.add(device);

  // From the platform.
  const access = new PlatformAccess(auth, quota, clock, log);
  const statistics = new PollStatistics(clock);
  const reads = new PlannedReads(settings, store, publisher, clock);
  const reader = new FeatureReader(platform, store, clock, log, signal);
  const poller = new Poller(reads.all, poll, reader, quota, clock, log, (read) => repository.lastReadMs(read));

  // What is published.
  const zones = { ...settings.timeZone, installation: (id: string) => discovery?.timeZoneOf(id) };
  const timer = new ScheduleTimer(store, zones, clock, log);
  const topics = new DeviceTopics({ base, profiles }, store, timer, publisher, log);
  const composites = new Composites(base, reads, publisher, dependencies.compositeStore);
  const mayRun = (feature: string, command: string): boolean => isAllowed(commands, feature, command);
  const documentSettings = { base, prefix, version: settings.version, form: mode, profiles, isAllowed: mayRun };
  const documents = new DeviceDocuments(documentSettings, store, reads, publisher, offers);
  const cleanUp = (): void => cleanUpTopics(mode !== 'off', store.states, publisher, offers, discovery);

  // Commands.
  const records = recordReader(reader, reads, poller, quota, commands.confirm_s, clock, signal);
  const confirmation = new Confirmation(records, clock, commands.confirm_s, signal);
  const { parser, handler, results, overrides, runReverts, recover } = makeCommands(
    settings,
    dependencies,
    { store, timer, publisher, composites, records, confirmation, access, left },
    signal,
  );
  const retained = new RetainedCommands(connection, publisher, clock, log);
  const bridgeCommands = new BridgeCommands({ results, poller, store, quota, clock, finishLogin: dependencies.finishLogin, discovery });
  const receive = commandReceiver(settings, parser, handler, bridgeCommands, results, publisher, retained, clock);
  const copies = new DuplicateMessages(base, clock);

  // The bridge itself.
  const info = { version: settings.version, settings: settings.shown, started_at: new Date(clock.now()).toISOString() };
  const reports = {
    info: () => infoReport(info, connection, store, timer),
    auth: () => access.report(),
    quota: () => quotaReport(quota, poller, clock),
    health: () => healthReport(statistics, poller, publisher, results),
    status: () => statistics.status(poller, quota, access.report()),
  };
  const statusPublisher = new StatusPublisher(base, publisher, reports, clock, log);
  const checkProfiles = profileCheck(profiles, store, reads, log);
  const states = (): readonly DeviceState[] => [...store.states.values()];
  const areAllComplete = (): boolean => states().every((state) => reads.areComplete(state));
  const tasks: readonly Task[] = [
    cleanUp,
    () => statusPublisher.show('info'),
    () => statusPublisher.show('auth'),
    () => access.start(),
    () => documents.showBridge(),
    () => {
      for (const state of states()) if (repository.restore(state, documents)) store.emit('featuresRestored', state);
      if (states().some(({ features }) => features.size > 0)) timer.settle();
    },
    () => poller.run(signal, () => store.endFirstRound()),
    () => discovery?.run(signal),
    () => overrides.show(),
    () => runReverts(),
    () => timer.run(signal),
    () => recover(),
    () => {
      // Where an earlier run knew everything, nothing waits for the first reads.
      if (store.devices.length > 0 && areAllComplete()) store.endFirstRound();
    },
    () =>
      clock.sleep(FIRST_ROUND_MS, signal).then(
        () => store.endFirstRound(),
        () => undefined,
      ),
  ];
  const bridge = new Bridge({ session, publisher, handler, access, statusPublisher, clock, stopping, tasks });

  // A read. What it shows is stored before it is published; what was accepted is settled after what shows it is stored.
  store.on('featuresRead', ({ state, features }) => confirmation.seen(state, features));
  store.on('featuresRead', ({ state, features }) => {
    for (const feature of features) overrides.seen({ device: deviceKey(state.device), feature: feature.name }, feature);
  });
  store.on('featuresRead', (read) => documents.noteRead(read));
  store.on('featuresRead', (read) => repository.keep(read, reads.areWhole(read.state), documents));
  store.on('featuresRead', ({ state }) => {
    for (const key of state.pending.takeSettled()) journal.settled(key);
  });
  store.on('featuresRead', (read) => documents.makeRoom(read));
  store.on('featuresRead', ({ features }) => {
    for (const { name } of features) deepFeatures.add(name);
  });
  store.on('featuresRead', ({ state, features }) => {
    for (const { name } of features) topics.showFeature(state, name);
  });
  store.on('featuresRead', ({ state }) => composites.show(state));
  store.on('featuresRead', (read) => timer.featuresRead(read));
  store.on('featuresRead', (read) => documents.follow(read));
  store.on('featuresRestored', (state) => {
    for (const name of state.features.keys()) deepFeatures.add(name);
    for (const name of state.features.keys()) topics.showFeature(state, name);
    composites.show(state);
  });
  store.on('featuresListed', (state, names) => store.removeMissing(state, names, publisher.topics.namesOf('feature', state.device)));
  store.on('featuresGone', (state, names) => {
    topics.clearFeatures(state, names);
    composites.show(state);
    log.info({ device: state.device.name, features: names }, 'the platform no longer has these features; their topics were cleared');
    repository.gone(state, names);
    documents.forget(state, names);
  });
  store.on('readEnded', (_, read, result) => {
    statistics.ended(result);
    if (result.ok) access.readWorked();
    if (result.ok) poller.worked(read);
  });
  store.on('readEnded', (state, read, result) => {
    if (reads.ended(read, result)) documents.show(state);
    topics.showDevice(state);
    // Devices that are found later were not read in the first round.
    if (result.ok && areAllComplete()) timer.warn();
  });
  store.on('readFailed', (read, failure) => {
    reads.failed(read, failure);
    access.readFailed(read, failure, reads.all);
    if (failure.code === 'not_found') discovery?.lookSoon();
  });
  reads.on('changed', (all) => poller.setReads(all));

  // Devices, time, and pending writes.
  store.on('otherDeviceSeen', (gateway, device) => discovery?.deviceSeen(gateway, device));
  discovery?.on('devicesFound', (devices) => store.replace(devices));
  discovery?.on('callFailed', (failure) => {
    statistics.failed(failure);
    access.callFailed(failure);
  });
  store.on('devicesChanged', (gone) => {
    for (const { name } of gone) log.info({ device: name }, 'this device is gone; its topics are cleared');
    cleanUp();
    timer.zonesChanged();
    overrides.show();
    statusPublisher.show('info');
    reads.replan();
  });
  store.on('pendingChanged', (state, feature) => topics.showFeature(state, feature));
  store.on('pendingChanged', (state) => composites.show(state));
  store.on('transitionDue', (state, feature) => topics.showFeature(state, feature));
  store.on('firstRoundEnded', () => {
    for (const state of states()) topics.showDevice(state);
    for (const state of states()) documents.show(state);
    timer.settle();
    timer.warn();
    overrides.show();
    checkProfiles();
    bridge.run([() => statusPublisher.run(signal), () => watchAvailability(store, poller, quota, clock, signal)]);
  });
  store.on('availabilityChecked', () => {
    for (const state of states()) topics.showDevice(state);
    reads.replan();
    checkProfiles();
  });

  // The login.
  access.on('changed', () => statusPublisher.show('auth'));
  access.on('tokensChanged', (isNewLogin) => {
    statusPublisher.show('auth');
    discovery?.retry(isNewLogin);
    // What the platform refused to the login before may be open to this one.
    if (isNewLogin) poller.pollNow();
  });

  // The broker.
  publisher.on('held', (topic, owner) => monitor.held(topic, owner));
  monitor.on('lost', (topic, owner) => {
    // The state of the bridge is published past the publisher.
    if (topic === bridgeTopic(base, 'state')) session.announce().catch(() => undefined);
    else if (owner.startsWith(documentOwner(''))) offers.lost(owner, topic);
    else publisher.show(topic);
  });
  publisher.on('found', () => {
    cleanUp();
    for (const state of states()) composites.show(state);
  });
  session.on('begun', () => retained.reconnected());
  session.on('ready', (beat) => {
    statusPublisher.show('info');
    publisher.connected(beat);
    monitor.connected();
    deepFeatures.connected();
    statusPublisher.connected();
  });
  session.on('ended', () => {
    publisher.disconnected();
    monitor.disconnected();
    deepFeatures.disconnected();
    offers.hubLost();
  });
  session.on('hubBorn', () => offers.hubBorn());
  session.on('hubLost', () => offers.hubLost());
  session.on('message', (message) => {
    if (monitor.received(message) || copies.isCopy(message)) return;
    // A feature with a part called `call` has state topics that look like commands; what lies retained there is its state.
    if (message.retain && publisher.isOurs(message.topic)) return;
    receive(message);
    session.lookForRetained(message);
  });
  bridgeCommands.on('republish', () => {
    publisher.showAll();
    session.announce().catch(() => undefined);
    statusPublisher.again();
  });
  return bridge;
};

/** For each device the writes that an earlier run sent and that no read has shown yet; a device may leave the platform's list and come back. */
const keptPending = (left: readonly InterruptedWrite[], settleMs: number, nowMs: () => number): ((device: Device) => PendingWrites) => {
  const all = new Map<string, PendingWrites>();
  return (device) => {
    const known = all.get(deviceKey(device));
    if (known) return known;
    const pending = new PendingWrites(settleMs);
    all.set(deviceKey(device), pending);
    for (const write of pendingOf(left, device, nowMs())) pending.add(write);
    return pending;
  };
};
