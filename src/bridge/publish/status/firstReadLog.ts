import type { Log } from '../../../shared/log.ts';
import type { FeatureStore } from '../../state/featureStore.ts';
import type { Completeness } from '../../state/readTarget.ts';
import type { RetainedPublisher } from '../broker/retainedPublisher.ts';
import type { Polls } from './pollStatistics.ts';

const DAY_S = 86_400;

/**
 * Returns the function that logs once what the bridge shows and how often it reads. It is called after a read
 * or restore; `isLate`: log even if some devices have no values yet.
 */
export const firstReadLog = (
  store: FeatureStore,
  reads: Completeness & { all(): readonly unknown[] },
  poller: Polls,
  publisher: Pick<RetainedPublisher, 'topics'>,
  log: Log,
) => {
  let isLogged = false;
  return (isLate = false): void => {
    // Until the first round ends, some feature topics are missing: schedule changes need a time zone.
    if (isLogged || store.isFirstRound) return;
    const states = [...store.states.values()];
    const isEnough = states.length > 0 && states.every((state) => reads.areComplete(state));
    if (!isEnough && !(isLate && states.some(({ features }) => features.size > 0))) return;
    isLogged = true;
    const silent = states.filter(({ features }) => features.size === 0).map(({ device }) => device.name);
    const { seconds } = poller.interval;
    log.info(
      {
        devices: states.length,
        ...(silent.length > 0 ? { without_values: silent } : {}),
        features: states.reduce((sum, { features }) => sum + features.size, 0),
        topics: [...publisher.topics.wanted.values()].filter(({ owner }) => owner.startsWith('feature ')).length,
        poll_seconds: seconds,
        calls_per_day: Math.round((reads.all().length * DAY_S) / seconds),
      },
      states.some(({ availability }) => availability.readAtMs !== undefined)
        ? 'the first read is done'
        : 'the values of the last run are published until they are read again',
    );
  };
};
