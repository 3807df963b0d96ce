import { csvCell } from '../csv.ts';
import type { PastBar } from './past.ts';

/** The past of an amount for other programs. */
export type PastSeries = {
  /** The device's name in topics. */
  readonly device: string;
  /** The feature, `heating.power.consumption.total`. */
  readonly feature: string;
  /** Of the statistic in Home Assistant: `heating2mqtt:…`. It never changes. */
  readonly id: string;
  /** Of the statistic, for people: device, amount, and that it is of before the installation. */
  readonly name: string;
  /** `kWh`, `Wh` or `m³`. */
  readonly unit: string;
  /** The oldest first; `start` is the midnight with which the bar begins, RFC 3339 with the offset of the house. */
  readonly bars: readonly (PastBar & { readonly start: string })[];
};

/** Of statistics that no sensor has; their ids begin with it. */
export const STATISTICS_SOURCE = 'heating2mqtt';

/** Home Assistant's class of a unit, without which the energy dashboard does not offer a statistic. */
const unitClass = (unit: string): string => (unit === 'm³' ? 'volume' : 'energy');

const withSums = <Bar extends PastBar>(bars: readonly Bar[]): readonly (Bar & { readonly sum: number })[] => {
  let sum = 0;
  return bars.map((bar) => {
    sum += bar.amount;
    return { ...bar, sum: Math.round(sum * 1000) / 1000 };
  });
};

/** The command of Home Assistant's WebSocket (without its `id`) that imports a series, as its blog for developers of 2025-10-16 wants it. Sums never fall. */
export const importMessage = ({ id, name, unit, bars }: PastSeries) => ({
  type: 'recorder/import_statistics' as const,
  metadata: {
    ...{ statistic_id: id, source: STATISTICS_SOURCE, name, unit_of_measurement: unit, unit_class: unitClass(unit) },
    // Home Assistant before 2025.11 asks for `has_mean`.
    ...{ has_sum: true, has_mean: false, mean_type: 0 },
  },
  stats: withSums(bars).map(({ start, sum }) => ({ start, state: sum, sum })),
});

const rows = (lines: readonly (readonly (string | number)[])[], separator: string): string =>
  lines.map((line) => `${line.join(separator)}\n`).join('');

/** The forms of a file with the past. */
export const PAST_FORMATS = {
  /** What `recorder/import_statistics` takes, a JSON list. */
  ha: (series: readonly PastSeries[]): string => `${JSON.stringify(series.map(importMessage), null, 2)}\n`,
  /** Of the integration `import_statistics` of klausj1, with local times. */
  tsv: (series: readonly PastSeries[]): string =>
    rows(
      [
        ['statistic_id', 'start', 'unit', 'state', 'sum'],
        ...series.flatMap(({ id, unit, bars }) =>
          withSums(bars).map(({ start, sum }) => {
            const [date = '', time = ''] = start.split('T');
            return [id, `${date.split('-').toReversed().join('.')} ${time.slice(0, 5)}`, unit, sum, sum];
          }),
        ),
      ],
      '\t',
    ),
  /** The amounts of the bars, for openHAB, Node-RED, InfluxDB and spreadsheets. */
  csv: (series: readonly PastSeries[]): string =>
    rows(
      [
        ['start', 'value', 'unit', 'grain', 'device', 'feature'],
        ...series.flatMap(({ device, feature, unit, bars }) =>
          bars.map(({ start, amount, grain }) => [start, amount, unit, grain, device, feature].map(csvCell)),
        ),
      ],
      ',',
    ),
};

export type PastFormat = keyof typeof PAST_FORMATS;
