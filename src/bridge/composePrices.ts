import { bridgeTopic } from '../topics/topicNames.ts';
import { type Following, followAddress } from './plans/addressReader.ts';
import type { PlanExecutor } from './plans/planExecutor.ts';
import type { PricePlanner } from './plans/pricePlanner.ts';
import type { Connection, PriceSource } from './ports.ts';
import type { MqttSession } from './publish/broker/mqttSession.ts';
import type { RetainedPublisher } from './publish/broker/retainedPublisher.ts';
import type { FeatureStore } from './state/featureStore.ts';

export type PriceParts = {
  readonly base: string;
  /** Absent where the settings name neither topic nor address of prices. */
  readonly price: PricePlanner | undefined;
  readonly source: PriceSource | undefined;
  readonly executor: Pick<PlanExecutor, 'wish'>;
  readonly session: MqttSession;
  readonly connection: Pick<Connection, 'subscribe'>;
  readonly publisher: RetainedPublisher;
  readonly features: FeatureStore;
};

/** Connects the planner by prices to the broker, to what is read, and to the executor; gives the task that plans. */
export const composePrices = (parts: PriceParts, following: Following) => {
  const { base, price: planner, source, executor, session, connection, publisher, features } = parts;
  const topic = bridgeTopic(base, 'price_plan');
  let shown = '';
  planner?.on('planned', (wishes, report) => {
    executor.wish('price', wishes);
    const payload = JSON.stringify(report);
    if (payload === shown || features.isFirstRound) return;
    shown = payload;
    publisher.assign('bridge price_plan', [{ topic, payload, retain: true }]);
  });
  session.on('ready', () => {
    const filters = planner?.topic ? [planner.topic] : [];
    if (filters.length > 0)
      connection.subscribe(filters).catch(() => following.log.warn({ filters }, 'the broker does not let this bridge hear the prices'));
  });
  features.on('featuresRead', () => planner?.wake());
  features.on('firstRoundEnded', () => planner?.wake());
  features.on('devicesChanged', () => planner?.wake());
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
