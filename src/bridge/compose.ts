import { dayAfter } from '../features/performance/calendar.ts';
import { reportsSoFar, startsPerDay } from '../features/performance/report.ts';
import { documentTopic } from '../homeassistant/document.ts';
import { performanceMessages } from '../topics/performanceMessages.ts';
import { connectAccountEvents } from './accountEvents.ts';
import { type Bridge, FIRST_ROUND_MS, makeBridge, type Task } from './bridge.ts';
import { composeFaults } from './composeFaults.ts';
import { composeFrozen } from './composeFrozen.ts';
import { composePlans } from './composePlans.ts';
import type { BridgeSettings, Dependencies } from './dependencies.ts';
import { createParts, type Parts } from './parts.ts';
import { documentOwner } from './publish/broker/topicOwnership.ts';
import { cleanUpTopics } from './publish/devices/cleanUpTopics.ts';
import { profileCheck } from './publish/status/profileCheck.ts';
import { connectSessionEvents } from './sessionEvents.ts';
import { type DeviceState, deviceKey } from './state/deviceState.ts';
import type { FormChange } from './state/featureForms.ts';
import { answerUnsent, recoverWrites } from './writes/send/recovery.ts';

/** Creates the bridge: its parts, their event listeners, and the tasks that run from its start. */
export const createBridge = (settings: BridgeSettings, dependencies: Dependencies): Bridge => {
  const parts = createParts(settings, dependencies);
  const { discovery, clock, log, signal, publisher, monitor, session, statusPublisher } = parts;
  const { states, store, reads, poller, statistics, access, quota, past, totals } = parts;
  const { timer, topics, composites, compositeTopics, untilTopics, ends, forms, documents, firstRead, seasons } = parts;
  const { writes, waiting, confirmation, reverts, queue, handler } = parts;
  const { prefix, mode } = settings.discovery;

  const cleanUp = (): void => cleanUpTopics(mode !== 'off', states, publisher, parts.offers, discovery);
  const checkProfiles = profileCheck(settings.profiles, store, reads, log);
  const showFeatures = (state: DeviceState, names: readonly string[], changes: readonly FormChange[]): void => {
    // Find out whether another bridge offers its documents before offering them.
    if (mode !== 'off') monitor.watch(documentTopic(prefix, state.device), documentOwner(deviceKey(state.device)));
    for (const { feature } of changes) session.addFeature(feature);
    for (const name of names) topics.showFeature(state, name);
    compositeTopics.show(state, names);
  };
  const areAllComplete = (): boolean => [...states.values()].every((state) => reads.areComplete(state));
  const endFirstRound = (): void => store.endFirstRound();
  const readEvents = composeFaults(parts);
  composeFrozen(parts);
  const plans = composePlans(parts);
  parts.approvals.seasons.on('changed', seasons.look);
  store.on('devicesChanged', seasons.look);
  followPerformance(settings, parts);
  const { authChanged, listEvents } = connectAccountEvents(settings, parts);
  const tasks: readonly Task[] = [
    cleanUp,
    () => statusPublisher.show('info'),
    () => statusPublisher.show('auth'),
    () => access.start(),
    () => documents.showBridge(),
    () => {
      for (const state of states.values()) store.restore(state);
      if ([...states.values()].some(({ features }) => features.size > 0)) timer.settle();
    },
    () => poller.run(signal, endFirstRound),
    () => discovery?.run(signal, listEvents),
    () => untilTopics.showAll(),
    () => answerUnsent(writes),
    () => waiting.run(signal),
    () => reverts.run(signal, (request, write) => handler.enqueue(request, write)),
    // A season that is due at the start comes before a plan's temporary write.
    () => seasons.run(signal),
    () => plans(signal),
    () => timer.run(signal),
    () => recoverWrites(writes, states, discovery, confirmation, queue, log),
    // If an earlier run knew everything, nothing waits for the first reads.
    () => (store.devices.length > 0 && areAllComplete() ? endFirstRound() : undefined),
    () => session.release(),
    () => clock.sleep(FIRST_ROUND_MS, signal).then(endFirstRound, () => undefined),
  ];
  const isAllKnown = (): boolean => reads.all().length > 0 && reads.all().every((read) => Number.isFinite(store.lastReadMs(read)));
  const bridge = makeBridge(parts, tasks, isAllKnown, authChanged);

  // Events of reads.
  store.on('featuresRead', ({ state, features, changed }) => {
    confirmation.seen(state, features);
    const changes = forms.learn(state, changed);
    writes.apply(state.pending.takeSettled(), { kind: 'settled' });
    ends.seen(state, features);
    const names = totals.learn(state, changed);
    composites.learn(state, names);
    documents.makeRoom(state, changes);
    showFeatures(state, names, changes);
    waiting.seen(state, changed);
    untilTopics.seen(state, features);
    timer.check(state.device.installation);
    if (changes.length > 0) documents.show(state);
    // After it is counted.
    past.learn(state, changed);
  });
  store.on('featuresRestored', (state, features) => {
    const changes = forms.learn(state, features);
    // Data that an earlier run read but perhaps did not count.
    const names = totals.learn(state, state.truths);
    composites.learn(state, names);
    showFeatures(state, names, changes);
    past.learn(state, state.truths);
  });
  store.on('featuresListed', (state, names) => store.removeMissing(state, names, publisher.topics.namesOf('feature', state.device, true)));
  store.on('featuresGone', (state, names) => {
    composites.learn(state, names);
    topics.clearFeatures(state, names);
    compositeTopics.show(state);
    log.info({ device: state.device.name, features: names }, 'the platform no longer has these features; their topics were cleared');
    forms.forget(state, names);
    documents.show(state);
    waiting.gone(state, names);
  });
  store.on('readEnded', (state, read, result) => {
    statistics.ended(result);
    if (result.ok) {
      access.readWorked();
      poller.worked(read);
    }
    if (reads.ended(read, result)) documents.show(state);
    topics.showDevice(state);
    // Devices found later were not part of the first round.
    if (result.ok && areAllComplete()) timer.warn();
    firstRead();
  });
  store.on('readFailed', (read, failure) => {
    reads.failed(read, failure);
    access.readFailed(read, failure, reads.all());
    if (failure.code === 'not_found') discovery?.lookSoon();
  });

  signal.addEventListener('abort', () => handler.stop());
  store.on('otherDeviceSeen', (gateway, device) => {
    if (discovery?.deviceSeen(gateway, device)) store.replace(discovery.devices() ?? []);
  });
  store.on('devicesChanged', (gone) => {
    for (const device of gone) {
      log.info({ device: device.name }, 'the account no longer has this device; its topics are cleared');
      forms.drop(device);
    }
    cleanUp();
    timer.check();
    untilTopics.showAll();
    waiting.dropUnknown();
    statusPublisher.show('info');
    reads.replan();
  });
  followWrites(parts);
  reads.on('changed', () => poller.setReads(reads.all()));
  store.on('transitionDue', (state, feature) => topics.showFeature(state, feature));
  store.on('firstRoundEnded', () => {
    for (const state of states.values()) topics.showDevice(state);
    for (const state of states.values()) documents.show(state);
    timer.settle();
    timer.warn();
    untilTopics.showAll();
    checkProfiles();
    firstRead();
    bridge.run([() => statusPublisher.run(signal), () => readEvents(signal), () => store.watchAvailability(poller, quota, signal)]);
  });
  store.on('availabilityChecked', () => {
    for (const state of states.values()) topics.showDevice(state);
    firstRead(true);
    reads.replan();
    checkProfiles();
  });

  // Events of the broker.
  publisher.on('found', () => {
    cleanUp();
    for (const state of states.values()) compositeTopics.show(state);
  });
  connectSessionEvents(parts);
  return bridge;
};

/** More than the number of days for which starts are counted. */
const BEFORE_YEAR_DAYS = 31;

/** Device performance is learned from each good read, and published daily and after a start. */
const followPerformance = ({ base }: BridgeSettings, { performance, publisher, store }: Parts): void => {
  /** The last completed day, with its month and year so far. */
  const show = ({ device }: DeviceState): void => {
    const key = deviceKey(device);
    const last = performance.lastDay(key);
    if (last === undefined) return;
    const rows = performance.rows(key, dayAfter(`${last.slice(0, 4)}-01-01`, -BEFORE_YEAR_DAYS));
    publisher.assign(`performance ${key}`, performanceMessages(base, device.name, reportsSoFar(rows), startsPerDay(rows)));
  };
  store.on('readEnded', (state, _, { ok }) => {
    if (ok && performance.readWorked(state) && !store.isFirstRound) show(state);
  });
  const showAll = (): void => store.states.forEach(show);
  store.on('firstRoundEnded', showAll);
  store.on('devicesChanged', () => {
    if (!store.isFirstRound) showAll();
  });
};

/** The outcome of writes, and their answers. */
const followWrites = (parts: Parts): void => {
  const { writes, sender, results, composites, topics, compositeTopics, untilTopics, reverts, answers, view } = parts;
  writes.on('shownChanged', (state, feature) => {
    composites.learn(state, [feature]);
    topics.showFeature(state, feature);
    compositeTopics.show(state, [feature]);
  });
  writes.on('endChanged', (place) => {
    untilTopics.show(place);
    reverts.wake();
  });
  sender.on('accepted', (sent) => composites.accepted(sent));
  results.on('answer', (answer, published) => {
    view.emit('answer', answer);
    answers.note(published);
    topics.showAnswer(published);
  });
};
