import type { BridgeSettings, Dependencies } from './dependencies.ts';
import type { RetainedPublisher } from './publish/broker/retainedPublisher.ts';
import { SeasonKeeper, type SeasonParts } from './seasons/seasonKeeper.ts';
import type { ValueSeries } from './state/valueSeries.ts';
import type { Ends } from './writes/ends/ends.ts';

type Parts = Omit<SeasonParts, 'base' | 'settings' | 'store' | 'running' | 'series' | 'publish'> & {
  readonly ends: Ends;
  readonly series: ValueSeries;
  readonly publisher: RetainedPublisher;
};

/** Creates the keeper of the seasons with what it needs of the others. */
export const composeSeasons = (
  { base, seasons = [] }: Pick<BridgeSettings, 'base' | 'seasons'>,
  { seasonStore, clock, log }: Pick<Dependencies, 'seasonStore' | 'clock' | 'log'>,
  { ends, series, publisher, ...parts }: Parts,
): SeasonKeeper =>
  new SeasonKeeper(
    {
      ...parts,
      ...{ base, settings: seasons, store: seasonStore },
      running: (place) => ends.running(place),
      series: (topic, sinceMs) => series.of(topic, sinceMs),
      publish: (messages) => publisher.assign('bridge seasons', messages),
    },
    clock,
    log,
  );
