import { bridgeTopic } from '../topics/topicNames.ts';
import { composePrices } from './composePrices.ts';
import type { Parts } from './parts.ts';
import { followAddress } from './plans/addressReader.ts';
import { PlanExecutor } from './plans/planExecutor.ts';
import { deviceKey } from './state/deviceState.ts';
import { chargeOf } from './writes/undo/surplusCharge.ts';

const DAY_MS = 86_400_000;

/** Of a calendar so much is read: what is planned, and what has ended lately. */
const windowAt = (nowMs: number) => ({ fromMs: nowMs - 2 * DAY_MS, toMs: nowMs + 15 * DAY_MS });

/** Creates the executor of plans, and connects it and the planners to what they follow; gives the task that carries plans out. */
export const composePlans = (parts: Parts) => {
  const { settings, dependencies, states, store, owners, publisher, calendar, calls, writes, sender, topics, clock, log } = parts;
  const { base } = settings;
  const { calendars: sources = [] } = dependencies;
  const following = { clock, log, chance: Math.random };
  const executor = new PlanExecutor({ ...parts, base, store: parts.planStore }, clock, log);
  writes.on('endChanged', () => executor.wake());
  sender.on('sent', (sent) => {
    const charge = chargeOf(sent);
    if (charge) calls.charged({ device: deviceKey(sent.state.device), feature: sent.feature }, charge.isSurplus);
  });
  sender.on('accepted', ({ state, feature, shares }) => {
    const kinds = shares.map(({ request }) => request.by?.kind);
    executor.accepted({ device: deviceKey(state.device), feature }, kinds);
  });
  owners.on('changed', ({ device, feature }) => {
    const state = states.get(device);
    if (state) topics.showFeature(state, feature);
  });
  const runPrices = composePrices(parts, executor, following);
  const showCalendar = (): void => {
    const report = calendar.report();
    const messages = report ? [{ topic: bridgeTopic(base, 'calendar'), payload: JSON.stringify(report), retain: true }] : [];
    publisher.assign('bridge calendar', messages);
  };
  const wishOfCalendar = (): void => {
    const wishes = calendar.wishes();
    if (wishes) executor.wish('calendar', wishes, (place) => calendar.hasLookedAt(place));
  };
  calendar.on('planned', () => {
    wishOfCalendar();
    showCalendar();
  });
  store.on('featuresListed', () => calendar.wake());
  store.on('devicesChanged', () => calendar.wake());
  store.on('firstRoundEnded', () => calendar.wake());
  return async (signal: AbortSignal): Promise<void> => {
    calendar.keepAddresses(sources.map(({ name }) => name));
    showCalendar();
    wishOfCalendar();
    const reading = (calendar.isConfigured ? sources : []).map((source) =>
      followAddress(
        { calendar: source.name },
        async () => {
          const read = await source.read(windowAt(clock.now()), signal);
          if (read) calendar.put(source.name, read);
          else calendar.heard(source.name);
        },
        following,
        signal,
        (why) => calendar.failed(source.name, why),
      ),
    );
    await Promise.all([executor.run(signal), calendar.run(signal), runPrices(signal), ...reading]);
  };
};
