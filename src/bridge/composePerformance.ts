import type { Prices } from '../features/performance/dayRow.ts';
import type { Clock } from '../shared/clock.ts';
import type { PerformanceStore } from './ports.ts';
import type { RetainedPublisher } from './publish/broker/retainedPublisher.ts';
import { showPerformance } from './publish/devices/performanceTopics.ts';
import type { Device, DeviceState } from './state/deviceState.ts';
import type { FeatureStore } from './state/featureStore.ts';
import type { FrozenStore } from './state/frozen/frozenStore.ts';
import { type Performance, performanceOf } from './state/performance/performance.ts';
import type { RunningTotals } from './state/runningTotals.ts';

type Parts = {
  readonly store: FeatureStore;
  readonly totals: Pick<RunningTotals, 'of'>;
  readonly zone: (device: Device) => string;
  readonly publisher: RetainedPublisher;
  readonly frozen: Pick<FrozenStore, 'of'>;
};

/** Connects how devices run to what it is learned from, each read that works, and to what shows it: once a day, and after a start. */
export const composePerformance = (
  { base, prices = {} }: { readonly base: string; readonly prices?: Prices },
  { performanceStore, clock }: { readonly performanceStore: PerformanceStore; readonly clock: Clock },
  { store, totals, zone, publisher, frozen }: Parts,
): Performance => {
  const performance = performanceOf(prices, performanceStore, totals, zone, frozen, clock);
  const show = (state: DeviceState): void => showPerformance(base, performance, publisher, state);
  store.on('readEnded', (state, _, { ok }) => {
    if (ok && performance.readWorked(state) && !store.isFirstRound) show(state);
  });
  const showAll = (): void => store.states.forEach(show);
  store.on('firstRoundEnded', showAll);
  store.on('devicesChanged', () => {
    if (!store.isFirstRound) showAll();
  });
  return performance;
};
