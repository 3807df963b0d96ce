import * as z from 'zod/mini';
import { pastOf } from '../../../features/energy/past.ts';
import { type PastSeries, STATISTICS_SOURCE } from '../../../features/energy/pastFiles.ts';
import { amountName, amountUnit } from '../../../features/energy/periods.ts';
import type { Feature } from '../../../features/feature.ts';
import { labelOf } from '../../../homeassistant/names.ts';
import { UNITS } from '../../../homeassistant/units.ts';
import { slug } from '../../../homeassistant/words.ts';
import type { Language } from '../../../language/language.ts';
import { PERFORMANCE_WORDS } from '../../../language/performance/performanceWords.ts';
import { dateAt, midnightOf, printInstant } from '../../../schedule/zone.ts';
import { type Clock, DAY_MS } from '../../../shared/clock.ts';
import type { KeyedStore } from '../../ports.ts';
import { type Device, type DeviceState, deviceKey } from '../deviceState.ts';
import { keptValues, keyedRows } from '../keptValues.ts';
import type { RunningTotals } from '../runningTotals.ts';

/** As stored. */
const PAST = z.object({
  ...{ device: z.string(), zone: z.string(), unit: z.string(), whole: z.boolean(), isList: z.boolean() },
  bars: z.array(z.object({ from: z.iso.date(), grain: z.enum(['day', 'month', 'year']), amount: z.number() })),
});
type Kept = z.infer<typeof PAST>;

const partsOf = (key: string): readonly [device: string, feature: string] => {
  const [of = '', feature = ''] = key.split(' ');
  return [of, feature];
};

/** The Home Assistant statistic of a row. */
const idOf = (key: string): string => {
  const [of, feature] = partsOf(key);
  return `${STATISTICS_SOURCE}:${slug(`${of} ${feature.replace(/^heating\./, '')}`)}`;
};

const seriesOf = (key: string, { device, zone, unit, bars }: Kept, language: Language): PastSeries => {
  const [, feature] = partsOf(key);
  const { name } = labelOf({ named: new Map(), language }, feature);
  return {
    ...{ device, feature, id: idOf(key) },
    name: PERFORMANCE_WORDS[language].pastName(`${device}: ${name}`),
    unit: UNITS[unit]?.symbol ?? unit,
    bars: bars.map((bar) => ({ ...bar, start: printInstant(midnightOf(bar.from, zone), zone) })),
  };
};

/** The end of a row's bars as a sort key; the row key decides between equal ends. */
const endOf = (key: string, { bars }: Kept): string => `${bars.at(-1)?.from} ${key}`;

/**
 * The stored past with any consumption. Behind a new gateway a heating lists again what it listed behind the
 * former one: of devices with one name the newest covers each period, and the others what came before it.
 */
export const pastSeries = (store: Pick<KeyedStore, 'read'>, language: Language): readonly PastSeries[] => {
  const rows = [...keyedRows(store.read(), PAST)].filter(([, { bars }]) => bars.length > 0);
  const amounts = Map.groupBy(rows, ([key, { device }]) => `${device} ${partsOf(key)[1]}`);
  return [...amounts.values()].flatMap((same) =>
    same.flatMap(([key, kept]) => {
      const begins = same.flatMap(([other, one]) => (endOf(other, one) > endOf(key, kept) ? (one.bars[0]?.from ?? []) : []));
      const bars = kept.bars.filter(({ from }) => begins.every((begin) => from < begin));
      return bars.length > 0 ? [seriesOf(key, { ...kept, bars }, language)] : [];
    }),
  );
};

type PastParts = {
  readonly totals: Pick<RunningTotals, 'of'>;
  /** The name of the device's time zone. */
  readonly zone: (device: Device) => string;
  readonly language: Language;
  readonly clock: Pick<Clock, 'now'>;
};

/**
 * What the devices used before the bridge counted. The platform's lists roll on, so they are kept when first
 * seen, in the zone of that moment. An incomplete past is replaced while that gives more bars.
 */
export const pastStore = (store: KeyedStore, { totals, zone, language, clock }: PastParts) => {
  /** By device key and amount. */
  const { all, put } = keptValues(store, PAST);

  const learnFeature = ({ device }: DeviceState, feature: Feature, today: string, dateOf: (iso: string) => string | undefined): void => {
    const name = amountName(feature.name);
    const key = `${deviceKey(device)} ${name}`;
    const kept = all.get(key);
    const isList = name === feature.name;
    if (kept && kept.device !== device.name) put(key, { ...kept, device: device.name });
    if (kept?.whole && (kept.isList || !isList)) return;
    // Hubs have one sensor for both forms of an amount.
    const summary = name.replace(/\.(?=[^.]+$)/, '.summary.');
    const counted = Math.max(...[name, summary].map((one) => totals.of(deviceKey(device), one) ?? 0));
    const past = pastOf(feature, today, counted, dateOf);
    if (!past || (kept ? past.bars.length <= kept.bars.length : past.bars.length === 0 && !past.whole)) return;
    put(key, { device: device.name, zone: zone(device), isList, ...past, bars: [...past.bars] });
  };

  return {
    /** Keeps the past that these features show, after their values are counted. */
    learn: (state: DeviceState, features: readonly Feature[]): void => {
      const counting = features.filter((feature) => amountUnit(feature) !== undefined);
      if (counting.length === 0) return;
      const localDate = (atMs: number): string => dateAt(atMs, zone(state.device));
      const now = clock.now();
      // An invalid moment, or one far from now, gives no date.
      const dateOf = (iso: string): string | undefined => {
        const at = Date.parse(iso);
        return at > 0 && at < now + DAY_MS ? localDate(at) : undefined;
      };
      const today = localDate(now);
      for (const feature of counting) learnFeature(state, feature, today, dateOf);
    },
    /** The known past, for each device and amount with any consumption. */
    series: (): readonly PastSeries[] => pastSeries({ read: () => all }, language),
    /** The statistics that were ever sent to a hub, also those that no longer exist. */
    ids: (): readonly string[] => [...all.keys()].map(idOf),
  };
};

export type PastStore = ReturnType<typeof pastStore>;
