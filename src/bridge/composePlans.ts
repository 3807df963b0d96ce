import { DAY_MS } from '../shared/clock.ts';
import { bridgeTopic } from '../topics/topicNames.ts';
import type { Parts } from './parts.ts';
import { followAddress } from './plans/addressReader.ts';
import { type PlanExecutor, planExecutor } from './plans/planExecutor.ts';
import { chargeOf } from './writes/intake/surplusCharge.ts';
import { placeOf } from './writes/write/writeLog.ts';

/** The time range read from a calendar: planned events, and those that ended lately. */
const windowAt = (nowMs: number) => ({ fromMs: nowMs - 2 * DAY_MS, toMs: nowMs + 15 * DAY_MS });

/** Creates the plan executor and connects it and the planners; returns the task that executes plans. */
export const composePlans = (parts: Parts) => {
  const { settings, dependencies, states, owners, calls, writes, ends, submit, quota, sender, topics, clock, log } = parts;
  const following = { base: settings.base, states, writes, ends, submit, quota, calls, store: dependencies.stores.plans, owners };
  const executor = planExecutor(following, clock, log);
  writes.on('endChanged', () => executor.wake());
  writes.on('endSet', (place, by) => executor.accepted(place, [by?.kind]));
  sender.on('sent', (sent) => {
    const charge = chargeOf(sent);
    if (charge) calls.charged(placeOf(sent.state.device, sent.feature), charge.isSurplus);
  });
  sender.on('accepted', ({ state, feature, shares }) => {
    const kinds = shares.map(({ request }) => request.by?.kind);
    executor.accepted(placeOf(state.device, feature), kinds);
  });
  owners.on('changed', ({ device, feature }) => {
    const state = states.get(device);
    if (state) topics.showFeature(state, feature);
  });
  const runCalendar = composeCalendar(parts, executor);
  const runPrices = composePrices(parts, executor);
  return (signal: AbortSignal) => Promise.all([runCalendar(signal), runPrices(signal), executor.run(signal)]);
};

/** Connects the calendar planner to its sources, the broker and the executor; returns the planning task. */
const composeCalendar = (parts: Parts, executor: PlanExecutor) => {
  const { settings, dependencies, store, publisher, calendar, clock } = parts;
  const { calendars: sources = [] } = dependencies;
  const tell = (): void => {
    const [wishes, report] = [calendar.wishes(), calendar.report()];
    if (wishes) executor.wish('calendar', wishes, calendar.hasLookedAt);
    const messages = report ? [{ topic: bridgeTopic(settings.base, 'calendar'), payload: JSON.stringify(report), retain: true }] : [];
    publisher.assign('bridge calendar', messages);
  };
  calendar.on('planned', tell);
  parts.approvals.calendar.on('changed', tell);
  store.on('featuresListed', () => calendar.wake());
  store.on('devicesChanged', () => calendar.wake());
  store.on('firstRoundEnded', () => calendar.wake());
  return async (signal: AbortSignal): Promise<void> => {
    calendar.keepAddresses(sources.map(({ name }) => name));
    tell();
    const reading = (calendar.isConfigured ? sources : []).map((source) => {
      const read = async (): Promise<void> => {
        calendar.put(source.name, await source.read(windowAt(clock.now()), signal));
      };
      return followAddress({ calendar: source.name }, read, parts, signal, (why) => calendar.failed(source.name, why));
    });
    await Promise.all([calendar.run(signal), ...reading]);
  };
};

/** The same for the price planner. */
const composePrices = (parts: Parts, executor: PlanExecutor) => {
  const { settings, dependencies, price: planner, session, connection, publisher, store, log } = parts;
  const { priceSource: source } = dependencies;
  const topic = bridgeTopic(settings.base, 'price_plan');
  planner?.on('planned', (wishes, report) => {
    executor.wish('price', wishes);
    if (!store.isFirstRound) publisher.assign('bridge price_plan', [{ topic, payload: JSON.stringify(report), retain: true }]);
  });
  session.on('ready', () => {
    const filters = planner?.topic ? [planner.topic] : [];
    if (filters.length > 0)
      connection
        .subscribe(filters)
        .catch(() => log.warn({ filters }, 'the broker does not let the bridge subscribe to the topic of the prices'));
  });
  store.on('featuresRead', () => planner?.wake());
  store.on('firstRoundEnded', () => planner?.wake());
  store.on('devicesChanged', () => planner?.wake());
  return async (signal: AbortSignal): Promise<void> => {
    // Ends a plan from earlier settings.
    if (!planner) {
      executor.wish('price', []);
      publisher.assign('bridge price_plan', []);
    }
    const read = async (): Promise<void> => {
      const text = await source?.read(signal);
      if (text !== undefined) planner?.received(new TextEncoder().encode(text));
      planner?.addressFailed(undefined);
    };
    const reading = planner && source && followAddress({ prices: source.name }, read, parts, signal, planner.addressFailed);
    await Promise.all([planner?.run(signal), reading]);
  };
};
