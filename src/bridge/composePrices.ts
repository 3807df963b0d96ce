import { bridgeTopic } from '../topics/topicNames.ts';
import type { Parts } from './parts.ts';
import { type Following, followAddress } from './plans/addressReader.ts';
import type { PlanExecutor } from './plans/planExecutor.ts';

/** Connects the planner by prices to the broker, to what is read, and to the executor; gives the task that plans. */
export const composePrices = (parts: Parts, executor: PlanExecutor, following: Following) => {
  const { settings, dependencies, price: planner, session, connection, publisher, store } = parts;
  const source = dependencies.priceSource;
  const topic = bridgeTopic(settings.base, 'price_plan');
  let shown = '';
  planner?.on('planned', (wishes, report) => {
    executor.wish('price', wishes);
    const payload = JSON.stringify(report);
    if (payload === shown || store.isFirstRound) return;
    shown = payload;
    publisher.assign('bridge price_plan', [{ topic, payload, retain: true }]);
  });
  session.on('ready', () => {
    const filters = planner?.topic ? [planner.topic] : [];
    if (filters.length > 0)
      connection.subscribe(filters).catch(() => following.log.warn({ filters }, 'the broker does not let this bridge hear the prices'));
  });
  store.on('featuresRead', () => planner?.wake());
  store.on('firstRoundEnded', () => planner?.wake());
  store.on('devicesChanged', () => planner?.wake());
  return async (signal: AbortSignal): Promise<void> => {
    // A plan of earlier settings ends.
    if (!planner) {
      executor.wish('price', []);
      publisher.assign('bridge price_plan', []);
    }
    const read = async (): Promise<void> => {
      const text = await source?.read(signal);
      if (text !== undefined) planner?.received(new TextEncoder().encode(text));
    };
    await Promise.all([planner?.run(signal), planner && source && followAddress({ prices: source.name }, read, following, signal)]);
  };
};
