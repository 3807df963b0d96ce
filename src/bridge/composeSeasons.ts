import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import type { RetainedPublisher } from './publish/broker/retainedPublisher.ts';
import { SeasonKeeper, type SeasonParts } from './seasons/seasonKeeper.ts';
import type { ValueSeries } from './state/valueSeries.ts';
import type { Ends } from './writes/ends/ends.ts';

type Parts = Omit<SeasonParts, 'running' | 'series' | 'publish'> & {
  readonly ends: Ends;
  readonly series: ValueSeries;
  readonly publisher: RetainedPublisher;
};

/** Creates the keeper of the seasons with what it needs of the others. */
export const composeSeasons = ({ ends, series, publisher, ...parts }: Parts, clock: Clock, log: Log): SeasonKeeper =>
  new SeasonKeeper(
    {
      ...parts,
      running: (place) => ends.running(place),
      series: (topic, sinceMs) => series.of(topic, sinceMs),
      publish: (messages) => publisher.assign('bridge seasons', messages),
    },
    clock,
    log,
  );
