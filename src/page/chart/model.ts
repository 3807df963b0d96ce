import type { HistoryPoint as Point } from '../../api/answers.ts';
import type { Feature, Json } from '../../features/feature.ts';
import { propertyTopic, RESERVED } from '../../topics/topicNames.ts';
import type { Card } from '../model/cards.ts';
import type { Device } from '../model/device.ts';

/** Several values at common times, which are the first row. Each value holds until it changes, up to now. */
export const aligned = (series: readonly (readonly Point[])[], now: number): (number | null)[][] => {
  const times = [...new Set([...series.flatMap((points) => points.map(([at]) => at)), now])].toSorted((a, b) => a - b);
  const rows = series.map((points) => {
    let next = 0;
    let held: number | null = null;
    return times.map((time) => {
      for (let point = points[next]; point && point[0] <= time; point = points[next]) {
        held = typeof point[1] === 'number' ? point[1] : null;
        next += 1;
      }
      return held;
    });
  });
  return [times.map((time) => time / 1000), ...rows];
};

export type Span = { readonly from: number; readonly to: number; readonly mode: string };

/** The periods of each requested mode. */
export const spansOf = (points: readonly Point[], now: number): readonly Span[] =>
  points.flatMap(([from, mode], index) => (typeof mode === 'string' ? [{ from, to: points[index + 1]?.[0] ?? now, mode }] : []));

type Summary = { readonly lowest: number; readonly highest: number; readonly last: number };

const numbersIn = (points: readonly Point[]): readonly number[] =>
  points.flatMap(([, value]) => (typeof value === 'number' ? [value] : []));

/** The lowest, highest and last number; undefined without any. */
export const summaryOf = (points: readonly Point[]): Summary | undefined => {
  const values = numbersIn(points);
  const last = values.at(-1);
  // A function call takes only some ten thousand arguments.
  const lowest = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const highest = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  return last === undefined ? undefined : { lowest, highest, last };
};

/** The same per day, by date, newest first; a held value also counts for the following days. */
export const summaryByDay = (
  points: readonly Point[],
  now: number,
  dateOf: (at: number) => string,
): readonly (Summary & { readonly date: string })[] => {
  const days = new Map<string, Point[]>();
  let held: Point | undefined;
  const add = (at: number, point: Point): void => void days.set(dateOf(at), [...(days.get(dateOf(at)) ?? []), point]);
  for (const point of [...points, [now, points.at(-1)?.[1] ?? null] as const]) {
    for (let at = (held?.[0] ?? point[0]) + HOUR_MS; held && at < point[0]; at += HOUR_MS) if (!days.has(dateOf(at))) add(at, held);
    if (held && !days.has(dateOf(point[0]))) add(point[0], held);
    add(point[0], point);
    held = point;
  }
  return [...days]
    .flatMap(([date, all]) => {
      const summary = summaryOf(all);
      return summary ? [{ date, ...summary }] : [];
    })
    .toReversed();
};

const HOUR_MS = 3_600_000;

export const BAR_KINDS = ['day', 'week', 'month', 'year'] as const;
export type BarKind = (typeof BAR_KINDS)[number];

/** More bars than fit on a screen. */
const MOST_SUMS = 400;

/** The numbers of a property per day, week, month or year, the current one first; undefined if none. */
export const sumsIn = (value: Json | undefined): readonly number[] | undefined =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'number') ? value.slice(0, MOST_SUMS) : undefined;

const YEAR_MS = 366 * 86_400_000;

/** The time at which sums were read (epoch ms); `now` if it is implausible. */
export const readAtOf = (value: Json | undefined, now: number): number => {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Math.abs(now - at) < YEAR_MS ? at : now;
};

/** A value or series that a chart can show. */
export type Source = {
  readonly topic: string;
  readonly device: Device;
  readonly feature: Feature;
  readonly property: string;
  readonly unit: string;
  readonly kind: 'line' | 'bars';
};

/** All sources of a device: its measured numbers, and its sums by day, week, month or year. */
export const sourcesOf = (base: string, device: Device): readonly Source[] =>
  [...device.features.values()].flatMap((feature) => {
    // Older records have the unit of their sums in a separate property.
    const beside = feature.properties.get('unit')?.value;
    const first = BAR_KINDS.find((kind) => sumsIn(feature.properties.get(kind)?.value));
    return [...feature.properties].flatMap(([property, { value, unit = '' }]): readonly Source[] => {
      if (RESERVED.has(property)) return [];
      const common = { topic: propertyTopic(base, device.name, feature.name, property), device, feature, property, unit };
      if (typeof value === 'number' && unit !== '') return [{ ...common, kind: 'line' }];
      return property === first ? [{ ...common, unit: unit || (typeof beside === 'string' ? beside : ''), kind: 'bars' }] : [];
    });
  });

/** The card of a feature's circuit, room or hot water: its schedule has the requested modes. */
export const cardFor = (cards: readonly Card[], device: string, feature: string): Card | undefined =>
  cards.find((card) => card.device === device && card.scope !== '' && card.scope !== 'heating' && feature.startsWith(`${card.scope}.`));

/** Most requested values first; the others are in the list. */
const FIRST: readonly RegExp[] = [
  /\.temperature\.outside$/u,
  /^rooms\.\d+\.sensors\.temperature$|\.temperature\.room$/u,
  /^heating\.dhw\.sensors\.temperature\.(?:dhwCylinder|hotWaterStorage)$/u,
  /\.sensors\.temperature\.(?:supply|return)$/u,
  /^heating\.(?:sensors|boiler|buffer\w*|solar)\b.*\.temperature/u,
  /^rooms\.\d+\.sensors\.|\.sensors\.pressure/u,
];
const MOST_LINES = 9;
const MOST_BARS = 3;

/** The sources of the small charts: consumption by day and measured values, most requested first. */
export const glimpsesOf = (sources: readonly Source[]): readonly Source[] => {
  const isTotal = ({ feature }: Source): boolean => feature.name.endsWith('.total');
  const bars = sources.filter(({ kind, property }) => kind === 'bars' && property === 'day');
  const rankOf = ({ feature }: Source): number => FIRST.findIndex((pattern) => pattern.test(feature.name));
  // Its older name has the same value.
  const isTwin = ({ device, feature: { name } }: Source): boolean =>
    name.endsWith('.hotWaterStorage') && device.features.has(name.replace('.hotWaterStorage', '.dhwCylinder'));
  const lines = sources.filter((one) => one.kind === 'line' && one.property === 'value' && rankOf(one) >= 0 && !isTwin(one));
  return [
    ...lines.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, MOST_LINES),
    ...bars.toSorted((a, b) => Number(isTotal(b)) - Number(isTotal(a))).slice(0, MOST_BARS),
  ];
};

/** The size of a small chart, in its own units. */
export const SMALL = { width: 120, height: 32 } as const;

const scaled = (value: number, lowest: number, highest: number): number => {
  // A constant line is in the middle.
  const share = highest > lowest ? (value - lowest) / (highest - lowest) : 0.5;
  return Number((SMALL.height - 1 - (SMALL.height - 2) * share).toFixed(1));
};

/** The SVG path of a value that holds until it changes, up to `now`; empty without numbers. */
export const pathOf = (points: readonly Point[], now: number): string => {
  const { lowest, highest } = summaryOf(points) ?? {};
  if (lowest === undefined || highest === undefined) return '';
  const [[since] = [now]] = points;
  const x = (at: number): number => Number(((SMALL.width * (at - since)) / Math.max(now - since, 1)).toFixed(1));
  return points
    .map(([at, value], index) => {
      if (typeof value !== 'number') return '';
      const end = points[index + 1]?.[0] ?? now;
      const isFirst = typeof points[index - 1]?.[1] !== 'number';
      const y = scaled(value, lowest, highest);
      return `${isFirst ? `M${x(at)} ${y}` : `V${y}`}H${x(end)}`;
    })
    .join('');
};

/** The SVG path of sums as bars, newest on the right. */
export const barsPathOf = (newestFirst: readonly number[]): string => {
  const shown = newestFirst.slice(0, 8).toReversed();
  const highest = Math.max(...shown, 0);
  const width = SMALL.width / Math.max(shown.length, 1);
  return shown
    .map((value, index) => {
      const [left, top] = [index * width, highest > 0 ? scaled(Math.max(value, 0), 0, highest) : SMALL.height - 1];
      return `M${(left + 1).toFixed(1)} ${SMALL.height}V${top}H${(left + width - 1).toFixed(1)}V${SMALL.height}Z`;
    })
    .join('');
};

const ALL_STEPS = [-3, -2, -1, 0, 1, 2, 3, 4, 5, 6].flatMap((power) => [1, 2, 5].map((step) => Number(`${step}e${power}`)));

/** Axis steps whose labels are all different: for integers at least 1. */
export const stepsOf = (format: (value: number) => string): readonly number[] =>
  ALL_STEPS.filter((step) => new Set([0, 1, 2, 3].map((times) => format(times * step))).size === 4);
