import type { Log } from '../../../shared/log.ts';
import { commandFilters, DEEPEST_FEATURE } from '../../../topics/topicNames.ts';
import type { Connection } from '../../ports.ts';

/** Brokers refuse topics of 200 levels and more. */
const MOST_LEVELS = 100;

/** Subscribes to command topics with more levels than the first subscription of a connection covers. */
export const deepFeatureSubscriptions = (base: string, connection: Pick<Connection, 'subscribe'>, log: Log) => {
  let deepest = DEEPEST_FEATURE;
  let isConnected = false;

  /** The device has this feature. */
  const add = (feature: string): void => {
    // Its properties have one level more.
    const levels = Math.min(feature.split('.').length + 1, MOST_LEVELS);
    if (levels <= deepest) return;
    const before = deepest;
    deepest = levels;
    if (isConnected) listen(before);
  };

  const connected = (): void => {
    isConnected = true;
    if (deepest > DEEPEST_FEATURE) listen(DEEPEST_FEATURE);
  };

  const disconnected = (): void => {
    isConnected = false;
  };

  const listen = (from: number): void => {
    connection.subscribe(commandFilters(base, deepest, from)).catch((cause: unknown) => {
      log.debug({ levels: deepest, why: String(cause) }, 'commands for features of many levels are not heard');
    });
  };

  return { add, connected, disconnected };
};

export type DeepFeatureSubscriptions = ReturnType<typeof deepFeatureSubscriptions>;
