import { csvCell } from '../csv.ts';
import type { PastBar } from './past.ts';

/** The past of an amount, for export to other programs. */
export type PastSeries = {
  /** The device's name in topics. */
  readonly device: string;
  /** The feature, `heating.power.consumption.total`. */
  readonly feature: string;
  /** The id of the statistic in Home Assistant: `heating2mqtt:…`. It never changes. */
  readonly id: string;
  /** The display name of the statistic: device, amount, and a note that it predates the installation. */
  readonly name: string;
  /** `kWh`, `Wh` or `m³`. */
  readonly unit: string;
  /** Oldest first. `start`: the midnight at the start of the bar, RFC 3339 with the local offset. */
  readonly bars: readonly (PastBar & { readonly start: string })[];
};

/** The source of statistics without a sensor. Their ids begin with it. */
export const STATISTICS_SOURCE = 'heating2mqtt';

/** Home Assistant's unit class. Without it, the energy dashboard does not offer a statistic. */
const unitClass = (unit: string): string => (unit === 'm³' ? 'volume' : 'energy');

const withSums = <Bar extends PastBar>(bars: readonly Bar[]): readonly (Bar & { readonly sum: number })[] => {
  let sum = 0;
  return bars.map((bar) => {
    sum += bar.amount;
    return { ...bar, sum: Math.round(sum * 1000) / 1000 };
  });
};

/** Home Assistant's WebSocket import command (developer blog 2025-10-16), without `id`. Sums never fall. */
export const importMessage = ({ id, name, unit, bars }: PastSeries) => ({
  type: 'recorder/import_statistics' as const,
  metadata: {
    ...{ statistic_id: id, source: STATISTICS_SOURCE, name, unit_of_measurement: unit, unit_class: unitClass(unit) },
    // Home Assistant before 2025.11 requires `has_mean`.
    ...{ has_sum: true, has_mean: false, mean_type: 0 },
  },
  stats: withSums(bars).map(({ start, sum }) => ({ start, state: sum, sum })),
});

const rows = (lines: readonly (readonly (string | number)[])[], separator: string): string =>
  lines.map((line) => `${line.join(separator)}\n`).join('');

/** The file formats for the past. */
export const PAST_FORMATS = {
  /** The input of `recorder/import_statistics`, as a JSON list. */
  ha: (series: readonly PastSeries[]): string => `${JSON.stringify(series.map(importMessage), null, 2)}\n`,
  /** For the integration `import_statistics` of klausj1, with local times. */
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
