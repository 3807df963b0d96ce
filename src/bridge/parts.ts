import { readRule } from '../schedule/calendar/rules.ts';
import { readSeasonSetting, weeksOf } from '../schedule/seasons/seasonSetting.ts';
import { lastHour } from '../shared/clock.ts';
import { SerialQueue } from '../shared/serialQueue.ts';
import { bridgeTopic } from '../topics/topicNames.ts';
import { bridgeViewOf } from './bridgeView.ts';
import type { BridgeSettings, Dependencies } from './dependencies.ts';
import { approvalOf } from './plans/approval.ts';
import { calendarPlanner } from './plans/calendarPlanner.ts';
import { planCalls } from './plans/planCalls.ts';
import { planOwners } from './plans/planOwners.ts';
import { pricePlanner } from './plans/pricePlanner.ts';
import { mqttSession } from './publish/broker/mqttSession.ts';
import { readRight } from './publish/broker/readRight.ts';
import { retainedMonitor } from './publish/broker/retainedMonitor.ts';
import { retainedPublisher } from './publish/broker/retainedPublisher.ts';
import { compositeTopicsOf } from './publish/devices/composites.ts';
import { deviceTopics } from './publish/devices/deviceTopics.ts';
import { lastAnswers } from './publish/devices/lastAnswers.ts';
import { scheduleTimer } from './publish/devices/scheduleTimer.ts';
import { untilTopicsOf } from './publish/devices/untilTopics.ts';
import { deviceDocumentsOf } from './publish/discovery/deviceDocuments.ts';
import { deviceNamesOf } from './publish/discovery/deviceNames.ts';
import { discoveryPublisher } from './publish/discovery/discoveryPublisher.ts';
import { hubStatesOf } from './publish/discovery/hubStates.ts';
import { otherBridges } from './publish/discovery/otherBridges.ts';
import { firstReadLog } from './publish/status/firstReadLog.ts';
import { pollStatistics } from './publish/status/pollStatistics.ts';
import { reportsOf } from './publish/status/reportSources.ts';
import { statusPublisherOf } from './publish/status/statusPublisher.ts';
import { accountRefusals } from './reads/accountRefusals.ts';
import { featureReader } from './reads/featureReader.ts';
import { plannedReads } from './reads/plannedReads.ts';
import { platformAccess } from './reads/platformAccess.ts';
import { makePoller } from './reads/poller.ts';
import { seasonKeeper } from './seasons/seasonKeeper.ts';
import { makeComposites } from './state/composites.ts';
import type { Device, DeviceState } from './state/deviceState.ts';
import { pastStore } from './state/energy/past.ts';
import { faultStore } from './state/faults/faultStore.ts';
import { FeatureForms } from './state/featureForms.ts';
import { FeatureStore } from './state/featureStore.ts';
import { frozenStore } from './state/frozen/frozenStore.ts';
import { performanceOf } from './state/performance/performance.ts';
import { runningTotals } from './state/runningTotals.ts';
import { valueSeries } from './state/valueSeries.ts';
import { resultPublisher } from './writes/answers/resultPublisher.ts';
import { makeEnds } from './writes/ends/ends.ts';
import { revertScheduler } from './writes/ends/revertScheduler.ts';
import { makeBridgeCommands } from './writes/intake/bridgeCommands.ts';
import { commandHandler } from './writes/intake/commandHandler.ts';
import { commandParser } from './writes/intake/commandParser.ts';
import { commandReceiver } from './writes/intake/commandReceiver.ts';
import { duplicateMessages } from './writes/intake/duplicateMessages.ts';
import { gatewayRestart } from './writes/intake/gatewayRestart.ts';
import { retainedCommands } from './writes/intake/retainedCommands.ts';
import { surplusCharge } from './writes/intake/surplusCharge.ts';
import { isAllowed } from './writes/parse/evaluate.ts';
import { admission } from './writes/send/admission.ts';
import { beginWrites } from './writes/send/beginWrites.ts';
import { coalescerOf } from './writes/send/coalescer.ts';
import { commandSender } from './writes/send/commandSender.ts';
import { confirmationOf } from './writes/send/confirmation.ts';
import { recordReader } from './writes/send/recordReader.ts';
import { waitingWrites } from './writes/send/waiting.ts';
import { changeHistory } from './writes/undo/history.ts';
import { scheduleUndo } from './writes/undo/undo.ts';
import { writeLog } from './writes/write/writeLog.ts';

/** The parts that compose.ts and the files beside it connect. */
export type Parts = ReturnType<typeof createParts>;

/** Creates the parts in dependency order. Nothing runs and no event has listeners yet. */
export const createParts = (settings: BridgeSettings, dependencies: Dependencies) => {
  const { platform, connection, stores, quota, auth, finishLogin, takeUpLogin, discovery, clock, log } = dependencies;
  const { base, profiles, poll, commands, language, account } = settings;
  const { prefix, mode, statusTopic, ...page } = settings.discovery;
  const stopping = new AbortController();
  const { signal } = stopping;

  // Publishing to the broker.
  const publisher = retainedPublisher(connection, stores.publishedTopics, log);
  const stateTopic = bridgeTopic(base, 'state');
  const monitor = retainedMonitor({ stateTopic, connection, publishedTopics: stores.publishedTopics, publisher, clock, log, signal });
  const offers = discoveryPublisher(publisher, otherBridges(base, monitor.looked, log), stores.documents, clock, signal);
  const hubTopic = mode === 'off' && !offers.hasPublished ? undefined : statusTopic;
  const session = mqttSession(base, hubTopic, connection, clock, log);
  const reading = readRight(session.announce, clock, log, signal);
  const hubStates = hubStatesOf(publisher, session, clock, signal);

  // The state of the devices.
  const settleMs = Math.max(...commands.confirm_s) * 1000;
  const states = new Map<string, DeviceState>();
  const results = resultPublisher(base, publisher, clock, log, language, signal);
  const writes = writeLog(stores.writes, states, results, clock, log);
  const forms = new FeatureForms();
  const limits = { goneAfterH: poll.gone_after_h, nowMs: quota.platformMs, settleMs };
  const store = new FeatureStore(states, limits, stores.deviceStates, forms, writes, clock);
  for (const device of discovery ? (discovery.devices() ?? []) : settings.devices) store.add(device);

  // Reading from the platform.
  // A machine without a battery starts with an old time, and what is kept for a year would keep it.
  const platformClock = { ...clock, now: () => Math.floor(quota.platformMs()) };
  const access = platformAccess(auth, quota, clock, log);
  const refusals = accountRefusals(stores.accountRefusals, clock);
  const statistics = pollStatistics(clock);
  const published = (device: Device): readonly string[] => publisher.topics.namesOf('feature', device);
  const reads = plannedReads(settings, store, published, clock);
  const reader = featureReader(platform, store, clock, log, signal);
  const poller = makePoller(reads.all(), poll, reader, quota, clock, log, (read) => store.lastReadMs(read));

  // Publishing the topics.
  const timer = scheduleTimer(store, { ...settings.timeZone, installation: (id) => discovery?.timeZoneOf(id) }, clock, log);
  const zone = (device: Device): string => timer.zone(device)?.name ?? settings.timeZone.machine;
  const waiting = waitingWrites({ zone, discovery }, states, writes, clock);
  const ends = makeEnds(writes, states);
  const untilTopics = untilTopicsOf({ base, zone }, states, ends, publisher);
  const totals = runningTotals(stores.runningTotals);
  const past = pastStore(stores.past, { totals, zone, language, clock });
  const mayRun = (feature: string, command: string): boolean => isAllowed(commands, feature, command);
  const composites = makeComposites(stores.composites);
  const compositeTopics = compositeTopicsOf(base, composites, reads, publisher);
  const documentSettings = { base, prefix, ...page, version: settings.version, account, mode, language, profiles, isAllowed: mayRun };
  const deviceNames = deviceNamesOf(stores.documents, states, language, (id) => discovery?.descriptionOf(id));
  const documents = deviceDocumentsOf(documentSettings, store, reads, deviceNames, publisher, offers, forms);

  // Plans.
  const calendarRules = (settings.calendarRules ?? []).map(readRule).filter((rule) => typeof rule !== 'string');
  const addresses = dependencies.calendars?.map(({ digest }) => digest) ?? [];
  const ofCalendar = calendarRules.length === 0 ? [] : [...calendarRules.map(({ text }) => text), ...addresses];
  const following = (settings.seasons ?? []).map(readSeasonSetting).filter((one) => typeof one !== 'string');
  const seasonPlans = following.map((setting) => ({ ...setting, weeks: weeksOf(setting, profiles) }));
  const approvals = {
    calendar: approvalOf('calendar', ofCalendar, stores.plans, log),
    seasons: approvalOf('seasons', seasonPlans, stores.plans, log),
  };
  const calendar = calendarPlanner(calendarRules, { mayRun, zone, profiles }, approvals.calendar, states, stores.plans, clock);
  const planning = { states, ends, zone, store: stores.plans, seasons: following };
  const price = settings.pricePlan && pricePlanner(settings.pricePlan, planning, clock, log);
  const calls = planCalls({ confirmS: commands.confirm_s, store: stores.plans, quota, ends, writes }, clock);
  const owners = planOwners();

  // Commands.
  const records = recordReader({ reader, reads, poller, quota }, commands.confirm_s, clock, signal);
  const confirmation = confirmationOf(writes, records, clock, commands.confirm_s, signal);
  const readsEvents = dependencies.events !== undefined && (settings.eventMinutes ?? 0) > 0;
  const faults = faultStore(stores.faults, states, platformClock, readsEvents);
  const mayRestart = mayRun('gateway', 'restart');
  const frozen = frozenStore(stores.frozen, totals, clock, dependencies.restarts !== undefined && mayRestart);
  const answers = lastAnswers(stores.lastAnswers, states);
  const told = { totals, answers, faults, frozen, owners, refusals };
  const topics = deviceTopics(documentSettings, store, timer, waiting, ends, untilTopics, told, publisher, log);
  const history = changeHistory(stores.writes, writes, states, { base, mayRun });
  const sentLately = lastHour(clock);
  const sender = commandSender(platform, quota, sentLately, writes, beginWrites(writes, ends, waiting, clock), confirmation, clock, signal);
  const admissions = admission(commands, sentLately, records, ends, waiting, writes, clock, signal);
  const reverts = revertScheduler({ base, rules: commands }, states, ends, results, calls, clock, log);
  const presses = { undo: scheduleUndo(writes, stores.writes, clock), surplus: surplusCharge(calls, clock) };
  const parser = commandParser({ base, profiles, zone }, states, composites, presses, waiting, clock);
  const queue = new SerialQueue();
  const handler = commandHandler(parser, admissions, coalescerOf(commands.settle_ms, clock), sender, reverts, queue, log);
  const copies = duplicateMessages(base, clock);
  const retained = retainedCommands(connection, publisher, (topics) => session.askAgain(topics), clock, log);
  const restart = gatewayRestart(dependencies.restarts, mayRestart, store, frozen, access, quota, clock, signal);
  const asked = {
    account,
    calendar,
    approvals,
    price,
    results,
    poller,
    store,
    access,
    quota,
    clock,
    log,
    finishLogin,
    takeUpLogin,
    restart,
    discovery,
  };
  const bridgeCommands = makeBridgeCommands(asked);
  const receiver = commandReceiver(settings, parser, handler, bridgeCommands, results, publisher, retained, writes, clock, signal);
  const { submit } = receiver;

  // The bridge itself.
  const info = { version: settings.version, settings: settings.shown, started_at: new Date(clock.now()).toISOString() };
  const ofAccount = { account, access, quota, refusals, reads };
  const counted = { poller, statistics, publisher, results };
  const reports = reportsOf({ info, connection, store, timer, ...ofAccount, ...counted, reading, clock, language });
  const statusPublisher = statusPublisherOf(base, publisher, reports, clock, log);
  const series = valueSeries(settings.historyDays ?? 0, dependencies.series, publisher.topics, clock);
  const performance = performanceOf(settings.prices ?? {}, stores.performance, totals, zone, frozen, platformClock);
  const reporting = { base, plans: seasonPlans, approval: approvals.seasons, series, publisher };
  const keeping = { ...reporting, states, store: stores.seasons, zone, calls, submit, ends, writes };
  const seasons = seasonKeeper(keeping, clock, log);
  const { pollNow } = bridgeCommands;
  const view = bridgeViewOf(settings, publisher, { reports, submit, series, pollNow, changes: history, faults, performance, past });
  const firstRead = firstReadLog(store, reads, poller, publisher, log);

  return {
    ...{ settings, dependencies, connection, quota, discovery, clock, platformClock, log, stopping, signal, stateTopic },
    ...{ publisher, monitor, offers, session, reading, hubStates },
    ...{ states, results, writes, store, access, refusals, statistics, reads, poller },
    ...{ timer, waiting, ends, untilTopics, totals, past, composites, compositeTopics, forms, documents },
    ...{ calendar, approvals, price, calls, owners, confirmation, faults, frozen, answers, topics },
    ...{ sender, reverts, queue, handler, copies, retained, bridgeCommands, submit, receiver },
    ...{ statusPublisher, series, performance, seasons, view, firstRead },
  };
};
