import { documentTopic } from '../homeassistant/document.ts';
import { SerialQueue } from '../shared/serialQueue.ts';
import { bridgeTopic } from '../topics/topicNames.ts';
import { connectAccountEvents } from './accountEvents.ts';
import { type Bridge, FIRST_ROUND_MS, makeBridge, type Task } from './bridge.ts';
import { BridgeView } from './bridgeView.ts';
import { composeFaults } from './composeFaults.ts';
import { composeFrozen } from './composeFrozen.ts';
import { composePerformance } from './composePerformance.ts';
import { composePlans, createPlanners } from './composePlans.ts';
import { composeSeasons } from './composeSeasons.ts';
import type { BridgeSettings, Dependencies } from './dependencies.ts';
import { MqttSession } from './publish/broker/mqttSession.ts';
import { RetainedMonitor } from './publish/broker/retainedMonitor.ts';
import { RetainedPublisher } from './publish/broker/retainedPublisher.ts';
import { documentOwner } from './publish/broker/topicOwnership.ts';
import { cleanUpTopics } from './publish/devices/cleanUpTopics.ts';
import { compositeTopicsOf } from './publish/devices/composites.ts';
import { deviceTopics } from './publish/devices/deviceTopics.ts';
import { lastAnswers } from './publish/devices/lastAnswers.ts';
import { scheduleTimer } from './publish/devices/scheduleTimer.ts';
import { untilTopicsOf } from './publish/devices/untilTopics.ts';
import { deviceDocumentsOf } from './publish/discovery/deviceDocuments.ts';
import { deviceNamesOf } from './publish/discovery/deviceNames.ts';
import { DiscoveryPublisher } from './publish/discovery/discoveryPublisher.ts';
import { hubStatesOf } from './publish/discovery/hubStates.ts';
import { OtherBridges } from './publish/discovery/otherBridges.ts';
import { firstReadLog } from './publish/status/firstReadLog.ts';
import { profileCheck } from './publish/status/profileCheck.ts';
import { reportsOf } from './publish/status/reportSources.ts';
import { statusPublisherOf } from './publish/status/statusPublisher.ts';
import { connectReadEvents } from './readEvents.ts';
import { AccountRefusals } from './reads/accountRefusals.ts';
import { featureReader } from './reads/featureReader.ts';
import { PlannedReads } from './reads/plannedReads.ts';
import { PlatformAccess } from './reads/platformAccess.ts';
import { makePoller } from './reads/poller.ts';
import { pollStatistics } from './reads/pollStatistics.ts';
import { connectSessionEvents } from './sessionEvents.ts';
import { Composites } from './state/composites.ts';
import { type Device, type DeviceState, deviceKey } from './state/deviceState.ts';
import { pastStore } from './state/energy/past.ts';
import { FaultStore } from './state/faults/faultStore.ts';
import { FeatureForms } from './state/featureForms.ts';
import { FeatureStore } from './state/featureStore.ts';
import { FrozenStore } from './state/frozen/frozenStore.ts';
import { runningTotals } from './state/runningTotals.ts';
import { stateRepository } from './state/stateRepository.ts';
import { ValueSeries } from './state/valueSeries.ts';
import { connectWriteEvents } from './writeEvents.ts';
import { ResultPublisher } from './writes/answers/resultPublisher.ts';
import { Ends } from './writes/ends/ends.ts';
import { revertScheduler } from './writes/ends/revertScheduler.ts';
import { BridgeCommands } from './writes/intake/bridgeCommands.ts';
import { commandHandler } from './writes/intake/commandHandler.ts';
import { commandParser } from './writes/intake/commandParser.ts';
import { commandReceiver } from './writes/intake/commandReceiver.ts';
import { DeepFeatureSubscriptions } from './writes/intake/deepFeatureSubscriptions.ts';
import { DuplicateMessages } from './writes/intake/duplicateMessages.ts';
import { retainedCommands } from './writes/intake/retainedCommands.ts';
import { isAllowed } from './writes/parse/evaluate.ts';
import { admission } from './writes/send/admission.ts';
import { beginWrites } from './writes/send/beginWrites.ts';
import { Coalescer } from './writes/send/coalescer.ts';
import { CommandSender } from './writes/send/commandSender.ts';
import { confirmationOf } from './writes/send/confirmation.ts';
import { recordReader } from './writes/send/recordReader.ts';
import { recoverWrites } from './writes/send/recovery.ts';
import { waitingWrites } from './writes/send/waiting.ts';
import { changeHistory } from './writes/undo/history.ts';
import { pressesOf } from './writes/undo/presses.ts';
import { WriteLog } from './writes/write/writeLog.ts';

/** Creates the parts of the bridge in the order in which they need each other, and connects their events. Nothing runs before `start`. */
export const createBridge = (settings: BridgeSettings, dependencies: Dependencies): Bridge => {
  const { platform, connection, publishedTopics, quota, auth, finishLogin, discovery, planStore, clock, log } = dependencies;
  const { base, profiles, poll, commands, language } = settings;
  const { prefix, mode, statusTopic, ...page } = settings.discovery;
  const stopping = new AbortController();
  const { signal } = stopping;

  // To the broker.
  const publisher = new RetainedPublisher(connection, publishedTopics, log);
  const stateTopic = bridgeTopic(base, 'state');
  const monitor = new RetainedMonitor({ stateTopic, connection, publishedTopics, publisher, clock, log, signal });
  const offers = new DiscoveryPublisher(publisher, new OtherBridges(base, log), dependencies.documentStore, clock, signal);
  const hubTopic = mode === 'off' && !offers.hasPublished ? undefined : statusTopic;
  const session = new MqttSession({ base, hubTopic }, connection, clock, log);
  const deepFeatures = new DeepFeatureSubscriptions({ base, connection, log });

  // What is known of the devices.
  const repository = stateRepository(dependencies.memory, clock);
  const settleMs = Math.max(...commands.confirm_s) * 1000;
  const states = new Map<string, DeviceState>();
  const results = new ResultPublisher(base, publisher, clock, log, language, signal);
  const writes = new WriteLog(dependencies.writes, states, results, clock, log);
  const store = new FeatureStore(states, { goneAfterH: poll.gone_after_h, settleMs }, dependencies.memory, writes, clock);
  for (const device of discovery ? (discovery.devices() ?? []) : settings.devices) store.add(device);

  // From the platform.
  const access = new PlatformAccess(auth, quota, clock, log);
  const refusals = new AccountRefusals(dependencies.refusalStore, clock);
  const statistics = pollStatistics(clock);
  const published = (device: Device): readonly string[] => publisher.topics.namesOf('feature', device);
  const reads = new PlannedReads(settings, store, published, clock);
  const reader = featureReader(platform, store, clock, log, signal);
  const poller = makePoller(reads.all, poll, reader, quota, clock, log, repository.lastReadMs);

  // What is published.
  const timer = scheduleTimer(store, { ...settings.timeZone, installation: (id) => discovery?.timeZoneOf(id) }, clock, log);
  const zone = (device: Device): string => timer.zone(device)?.name ?? settings.timeZone.machine;
  const waiting = waitingWrites({ zone, discovery }, states, writes, clock);
  const ends = new Ends(writes, states);
  const untilTopics = untilTopicsOf({ base, zone }, states, ends, publisher);
  const totals = runningTotals(dependencies.totalStore);
  const past = pastStore(dependencies.pastStore, { totals, zone, language, clock });
  const mayRun = (feature: string, command: string): boolean => isAllowed(commands, feature, command);
  const composites = new Composites(dependencies.compositeStore);
  const compositeTopics = compositeTopicsOf(base, composites, reads, publisher);
  const documentSettings = { base, prefix, ...page, version: settings.version, mode, language, profiles, isAllowed: mayRun };
  const forms = new FeatureForms();
  const deviceNames = deviceNamesOf(dependencies.documentStore, states, language, (id) => discovery?.descriptionOf(id));
  const documents = deviceDocumentsOf(documentSettings, store, reads, deviceNames, publisher, offers, forms);
  const cleanUp = (): void => cleanUpTopics(mode !== 'off', states, publisher, offers, discovery);

  // Commands.
  const records = recordReader({ reader, reads, poller, quota }, commands.confirm_s, clock, signal);
  const confirmation = confirmationOf(records, clock, commands.confirm_s, signal);
  const faults = new FaultStore(dependencies.faultStore, states, clock);
  const frozen = new FrozenStore(
    dependencies.frozenStore,
    totals,
    clock,
    dependencies.restarts !== undefined && mayRun('gateway', 'restart'),
  );
  const answers = lastAnswers(dependencies.answerStore, states);
  const planning = { states, store: planStore, quota, publisher, features: store, ends, writes, session, connection };
  const planners = createPlanners(settings, { mayRun, zone }, planning, clock, log);
  const { calls } = planners;
  const told = { totals, answers, faults, frozen, owners: planners.owners };
  const topics = deviceTopics(documentSettings, store, timer, waiting, ends, untilTopics, told, publisher, log);
  const together = (work: () => void) => dependencies.writes.together(work);
  const faultParts = { base, faults, store, topics, documents, publisher, access, quota, together, clock, log };
  const readEvents = composeFaults(faultParts, dependencies.events, settings.eventMinutes ?? 0);
  const frozenParts = { store, frozen, topics, documents, timer, access, quota, clock, signal, mayRun };
  const restart = composeFrozen(frozenParts, dependencies.restarts);
  const history = changeHistory(dependencies.writes, writes, states, { base, mayRun });
  const sender = new CommandSender(platform, quota, writes, beginWrites(writes, ends, waiting, clock), confirmation, clock, signal);
  const admissions = admission(commands, sender, records, ends, waiting, clock, signal);
  const reverts = revertScheduler({ base, rules: commands }, states, ends, results, calls, clock, log);
  const presses = pressesOf(writes, dependencies.writes, clock, calls);
  const parser = commandParser({ base, profiles, zone }, states, composites, presses, waiting, clock);
  const queue = new SerialQueue();
  const handler = commandHandler(parser, admissions, new Coalescer(commands.settle_ms, clock), sender, reverts, queue, log);
  const retained = retainedCommands(connection, publisher, (topics) => session.askAgain(topics), clock, log);
  const bridgeCommands = new BridgeCommands({ ...planners, results, poller, store, quota, clock, log, finishLogin, restart, discovery });
  const receiver = commandReceiver(settings, parser, handler, bridgeCommands, results, publisher, retained, writes, clock, signal);
  const plans = composePlans(planners, { submit: receiver.submit, sender, topics }, dependencies, clock, log);

  // The bridge itself.
  const info = { version: settings.version, settings: settings.shown, started_at: new Date(clock.now()).toISOString() };
  const reading = { report: statistics.report, status: () => statistics.status(poller, quota, access.report()) };
  const account = { access, quota, refusals, reads, frozen };
  const reports = reportsOf({ info, connection, store, timer, ...account, poller, reading, publisher, results, clock, language });
  const statusPublisher = statusPublisherOf(base, publisher, reports, clock, log);
  const series = new ValueSeries(settings.historyDays ?? 0, dependencies.series, publisher.topics, clock);
  const performance = composePerformance(settings, dependencies, { store, totals, zone, publisher, frozen });
  const seasons = composeSeasons(settings, dependencies, { states, zone, ends, series, publisher, calls, submit: receiver.submit });
  const view = new BridgeView(settings, publisher, reports, receiver, series, bridgeCommands, history, faults, performance, past);
  const firstRead = firstReadLog(store, reads, poller, publisher, log);
  const checkProfiles = profileCheck(profiles, store, reads, log);
  const showFeatures = (state: DeviceState, names: readonly string[]): void => {
    // Before its documents are offered it has to be known whether another bridge offers them.
    if (mode !== 'off') monitor.watch(documentTopic(prefix, state.device), documentOwner(deviceKey(state.device)));
    for (const name of names) deepFeatures.add(name);
    for (const name of names) topics.showFeature(state, name);
    compositeTopics.show(state, names);
  };
  const areAllComplete = (): boolean => [...states.values()].every((state) => reads.areComplete(state));
  const endFirstRound = (): void => store.endFirstRound();
  const { authChanged, listEvents } = connectAccountEvents(settings, {
    store,
    faults,
    sender,
    ...account,
    statistics,
    poller,
    discovery,
    statusPublisher,
  });
  const tasks: readonly Task[] = [
    cleanUp,
    () => statusPublisher.show('info'),
    () => statusPublisher.show('auth'),
    () => access.start(),
    () => documents.showBridge(),
    () => {
      for (const state of states.values()) store.restored(state, repository.restore(state));
      if ([...states.values()].some(({ features }) => features.size > 0)) timer.settle();
    },
    () => poller.run(signal, endFirstRound),
    () => discovery?.run(signal, listEvents),
    () => untilTopics.showAll(),
    () => waiting.run(signal),
    () => reverts.run(signal, (request, write) => handler.enqueue(request, write)),
    () => plans(signal),
    () => timer.run(signal),
    () => series.run(signal),
    () => seasons.run(signal),
    () => recoverWrites(writes, states, discovery, confirmation, queue, log),
    // Where an earlier run knew everything, nothing waits for the first reads.
    () => (store.devices.length > 0 && areAllComplete() ? endFirstRound() : undefined),
    () => session.release(),
    () => clock.sleep(FIRST_ROUND_MS, signal).then(endFirstRound, () => undefined),
  ];
  const isAllKnown = (): boolean => reads.all.length > 0 && reads.all.every((read) => Number.isFinite(repository.lastReadMs(read)));
  const bridge = makeBridge({ session, publisher, handler, isAllKnown, authChanged, statusPublisher, view, clock, stopping, tasks });

  // A read. What it shows is stored before it is published; what was accepted is settled after what shows it is stored.
  store.on('featuresRead', (read) => {
    const { state, features, changed } = read;
    confirmation.seen(state, features);
    ends.seen(state, features);
    const changes = forms.learn(state, changed);
    repository.keep(read, reads.areWhole(state), forms.besides(read));
    writes.apply(state.pending.takeSettled(), { kind: 'settled' });
    const names = totals.learn(state, changed);
    composites.learn(state, names);
    documents.makeRoom(state, changes);
    showFeatures(state, names);
    waiting.seen(state, changed);
    untilTopics.seen(state, features);
    timer.check(state.device.installation);
    if (changes.length > 0) documents.show(state);
  });
  store.on('featuresRestored', (state, features) => {
    documents.noteRestored(state, forms.learn(state, features));
    // What an earlier run has read and perhaps not counted.
    const names = totals.learn(state, state.truths);
    composites.learn(state, names);
    showFeatures(state, names);
  });
  store.on('featuresListed', (state, names) => store.removeMissing(state, names, published(state.device)));
  store.on('featuresGone', (state, names) => {
    composites.learn(state, names);
    topics.clearFeatures(state, names);
    compositeTopics.show(state);
    log.info({ device: state.device.name, features: names }, 'the platform no longer has these features; their topics were cleared');
    repository.gone(state, names);
    forms.forget(state, names);
    documents.show(state);
    waiting.gone(state, names);
  });
  connectReadEvents({ past, store, reads, poller, statistics, access, discovery, topics, documents, timer, firstRead }, areAllComplete);

  signal.addEventListener('abort', () => confirmation.stop());
  store.on('otherDeviceSeen', (gateway, device) => {
    if (discovery?.deviceSeen(gateway, device)) store.replace(discovery.devices() ?? []);
  });
  store.on('devicesChanged', (gone) => {
    for (const { name } of gone) log.info({ device: name }, 'this device is gone; its topics are cleared');
    cleanUp();
    timer.check();
    untilTopics.showAll();
    waiting.dropUnknown();
    statusPublisher.show('info');
    reads.replan();
  });
  const shown = { composites, topics, compositeTopics, untilTopics };
  connectWriteEvents({ writes, sender, results, ...shown, reverts, answers, view });
  reads.on('changed', () => poller.setReads(reads.all));
  store.on('transitionDue', (state, feature) => topics.showFeature(state, feature));
  store.on('firstRoundEnded', () => {
    for (const state of states.values()) topics.showDevice(state);
    for (const state of states.values()) documents.show(state);
    timer.settle();
    timer.warn();
    untilTopics.showAll();
    checkProfiles();
    firstRead.look();
    bridge.run([() => statusPublisher.run(signal), () => readEvents(signal), () => store.watchAvailability(poller, quota, signal)]);
  });
  store.on('availabilityChecked', () => {
    for (const state of states.values()) topics.showDevice(state);
    firstRead.look(true);
    reads.replan();
    checkProfiles();
  });

  // The broker.
  publisher.on('found', cleanUp);
  publisher.on('found', () => states.forEach((state) => void compositeTopics.show(state)));
  const hubStates = hubStatesOf(publisher, session, clock, signal);
  connectSessionEvents(
    { stateTopic, session, publisher, view, series, monitor, deepFeatures, statusPublisher, offers, hubStates },
    { retained, copies: new DuplicateMessages(base, clock), receiver, bridgeCommands, price: planners.price },
  );
  return bridge;
};
