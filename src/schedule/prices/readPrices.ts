import * as z from 'zod/mini';
import { isRecord } from '../../shared/json.ts';
import { readInstant } from '../zone.ts';
import { KNOWN_UNIT, type KnownUnit, PER_KWH, type PriceUnit, unitOf } from './priceUnit.ts';

/** The price of a kWh from one instant to another (epoch ms, exclusive end), in the currency itself. */
const SLOT = z.object({ startMs: z.number(), endMs: z.number(), price: z.number() });
export type PriceSlot = Readonly<z.infer<typeof SLOT>>;

/** Prices in order, without overlaps. `stepMinutes`: the shortest slot. */
export const PRICES = z.extend(KNOWN_UNIT, { slots: z.readonly(z.array(SLOT)), stepMinutes: z.number() });
export type Prices = Readonly<z.infer<typeof PRICES>>;

/**
 * Why nothing was read: no JSON; no prices in it; prices of `several` areas, homes or tariffs; steps or gaps
 * that no market has; or slots that overlap.
 */
export type PriceMistake = 'json' | 'none' | 'several' | 'steps' | 'gap' | 'overlap';

export type ReadPrices =
  | { readonly ok: true; readonly prices: Prices }
  | { readonly ok: false; readonly mistake: PriceMistake; readonly names?: readonly string[] };

const MINUTE_MS = 60_000;
const [SHORTEST_MS, LONGEST_MS] = [5 * MINUTE_MS, 60 * MINUTE_MS];
const LONGEST_GAP_MS = 60 * MINUTE_MS;
/** No source has more: two weeks of 15-minute prices. */
const MOST_POINTS = 1500;
/** Maximum bytes of a message with prices: a week of quarter hours, which evcc has, needs up to 70,000. */
export const MOST_PRICE_BYTES = 262_144;
/** A list of three numbers is only a slot if the first is a time after 2001, in seconds. */
const FIRST_SECONDS = 1e9;
/** No price reaches this, whatever the unit: sums of larger numbers could overflow. */
const BEYOND_PRICES = 1e6;
/** Limits for names of areas and the like: a message of 64 kB could have 48 MB of them. */
const MOST_NAMES = 20;
const LONGEST_NAME = 100;
/** Maximum nesting of objects and lists. */
const DEEPEST = 16;

const START_KEYS = [
  ...['start', 'start_time', 'startsAt', 'startTime', 'deliveryStart', 'valid_from', 'TimeUTC', 'start_timestamp'],
  ...['unix_seconds', 'time', 'hour', 'timestamp'],
];
const END_KEYS = ['end', 'end_time', 'endTime', 'deliveryEnd', 'valid_to', 'end_timestamp'];
const VALUE_KEYS = [
  ...['value', 'price', 'total', 'price_per_kwh', 'value_inc_vat', 'marketprice', 'perKwh', 'per_kwh', 'price_eur_per_mwh'],
  ...['price_ct_per_kwh', 'DayAheadPriceEUR', 'DayAheadPriceDKK', 'entryPerArea'],
];
/** Keys that name no area, home or tariff: lists below them belong together. */
const PLAIN_KEYS = new Set(
  'rates data prices priceData records results result forecast grid raw_today raw_tomorrow today tomorrow prices_today prices_tomorrow multiAreaEntries priceInfo attributes'.split(
    ' ',
  ),
);

type Point = Readonly<Record<string, unknown>>;
type Group = { readonly name: string; readonly points: Point[]; readonly unit: unknown };

/**
 * The prices in a JSON text, in any form of docs/prices.md: it looks for lists of objects with a start and a
 * value. A missing end is the next start; the last slot is then as long as the previous one. A time without
 * an offset is a local time of `zone`.
 */
export const readPrices = (text: string, zone: string, unit?: PriceUnit): ReadPrices => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { ok: false, mistake: 'json' };
  }
  const groups = groupsIn(json);
  if (groups.length > 1) return several(groups.map(({ name }) => name));
  const points = groups[0]?.points ?? [];
  const areas = areasOf(points);
  if (areas.length > 1) return several(areas);
  const key = VALUE_KEYS.find((one) => points.some((point) => priceIn(point, one) !== undefined));
  const slots = key === undefined ? [] : slotsOf(points, key, zone);
  if (key === undefined || slots.length === 0 || points.length > MOST_POINTS) return { ok: false, mistake: 'none' };
  const mistake = mistakeIn(slots);
  if (mistake) return { ok: false, mistake };
  const values = slots.map(({ price }) => price);
  const known: KnownUnit = unit ? { unit, by: 'setting' } : unitOf(key, groups[0]?.unit ?? points[0]?.['unit'], values);
  // Removes rounding errors such as 0.30000000000000004.
  const scaled = slots.map((slot) => ({ ...slot, price: Number((slot.price * PER_KWH[known.unit]).toPrecision(12)) }));
  return { ok: true, prices: { ...known, slots: scaled, stepMinutes: stepOf(scaled) } };
};

/**
 * The new prices, and before them those of now from `sinceMs` on, if there is no gap between: evcc shows only
 * what is ahead, but a plan needs its whole day. Prices read with another unit are dropped.
 */
export const withEarlier = (now: Prices | undefined, came: Prices, sinceMs: number): Prices => {
  const fromMs = came.slots[0]?.startMs ?? 0;
  if (now?.unit !== came.unit || now.by !== came.by) return came;
  const earlier = now.slots.filter(({ endMs }) => endMs > sinceMs && endMs <= fromMs);
  if (pricesUntil(earlier) !== fromMs) return came;
  const slots = [...earlier, ...came.slots];
  return { ...came, slots, stepMinutes: stepOf(slots) };
};

const stepOf = (slots: readonly PriceSlot[]): number => Math.min(...slots.map(({ startMs, endMs }) => endMs - startMs)) / MINUTE_MS;

const several = (names: readonly string[]): ReadPrices => {
  return { ok: false, mistake: 'several', names: names.slice(0, MOST_NAMES).map((name) => name.slice(0, LONGEST_NAME)) };
};

/** The lists of points by their path, cut off just after `MOST_POINTS`, so that too many are noticed. */
const groupsIn = (json: unknown): readonly Group[] => {
  const groups = new Map<string, Group>();
  const add = (path: readonly string[], points: readonly unknown[], unit: unknown): void => {
    const name = path.join('.');
    const group = groups.get(name) ?? { name, points: [], unit };
    for (const point of points) if (group.points.length <= MOST_POINTS && isRecord(point) && isUsed(point)) group.points.push(point);
    groups.set(name, group);
  };
  const visit = (value: unknown, path: readonly string[], unit: unknown, depth: number): void => {
    if (depth > DEEPEST || groups.size > MOST_NAMES) return;
    if (Array.isArray(value)) {
      const points = value.map(pointOf);
      if (points.some((one) => isRecord(one) && isPrice(one))) add(path, points, unit);
      else value.forEach((one, index) => void (isRecord(one) && visit(one, [...path, String(index)], unit, depth + 1)));
      return;
    }
    if (!isRecord(value)) return;
    const columns = columnsOf(value);
    if (columns.length > 0) add(path, columns, unitIn(value) ?? unit);
    else
      for (const [key, member] of Object.entries(value))
        visit(member, PLAIN_KEYS.has(key) ? path : [...path, key.slice(0, LONGEST_NAME)], unitIn(value) ?? unit, depth + 1);
  };
  visit(json, [], undefined, 0);
  return [...groups.values()];
};

/** evcc since August 2026 writes `[start, end, value]`. */
const pointOf = (one: unknown): unknown => {
  if (!Array.isArray(one) || one.length !== 3) return one;
  const [start, end, value]: readonly unknown[] = one;
  return typeof start === 'number' && start > FIRST_SECONDS && typeof end === 'number' ? { start, end, value } : one;
};

/** Nord Pool also has blocks of hours, with a start and without a price. */
const isPrice = (point: Point): boolean =>
  START_KEYS.some((key) => key in point) && VALUE_KEYS.some((key) => priceIn(point, key) !== undefined);

/** Sensors of nordpool and Energi Data Service mark cents by a flag; the unit names only the currency. */
const unitIn = (value: Point): unknown =>
  value['price_in_cents'] === true || value['use_cent'] === true ? 'cent/kWh' : (value['unit'] ?? value['unit_of_measurement']);

/** The points of an object with a list of times and a list of values. */
const columnsOf = (value: Point): readonly Point[] => {
  const list = (keys: readonly string[]) => keys.find((key) => Array.isArray(value[key]) && !value[key].some(isRecord));
  const [time, price] = [list(START_KEYS), list(VALUE_KEYS)];
  const [times, values] = [time && value[time], price && value[price]];
  if (!(time && price && Array.isArray(times) && Array.isArray(values)) || times.length !== values.length) return [];
  return times.map((at: unknown, index) => ({ [time]: at, [price]: values[index] }));
};

/** Octopus has a second row per slot (no direct debit), Amber one for feed-in: these are left out. */
const isUsed = ({ payment_method: method, channelType: channel = 'general' }: Point): boolean =>
  method !== 'NON_DIRECT_DEBIT' && channel === 'general';

const areasOf = (points: readonly Point[]): readonly string[] => {
  const areas = points.flatMap(({ PriceArea, entryPerArea }) => [
    ...(typeof PriceArea === 'string' ? [PriceArea] : []),
    ...(isRecord(entryPerArea) ? Object.keys(entryPerArea) : []),
  ]);
  return [...new Set(areas)];
};

const priceIn = (point: Point, key: string): number | undefined => {
  const raw = key === 'entryPerArea' && isRecord(point[key]) ? Object.values(point[key])[0] : point[key];
  const value = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw;
  return typeof value === 'number' && Math.abs(value) < BEYOND_PRICES ? value : undefined;
};

type OpenSlot = { readonly startMs: number; readonly endMs: number | undefined; readonly price: number };

/** The slots in order; of several with the same start the first counts. */
const slotsOf = (points: readonly Point[], key: string, zone: string): readonly PriceSlot[] => {
  const read = timeReader(zone);
  const open = inOrder(points).flatMap((point): OpenSlot[] => {
    const start = START_KEYS.find((one) => point[one] !== undefined && point[one] !== null);
    const startMs = start === undefined ? undefined : read(point[start], start);
    const price = priceIn(point, key);
    if (startMs === undefined || price === undefined) return [];
    // A local end in the repeated hour is ambiguous, so the next start is used.
    const end = END_KEYS.map((one) => point[one]).find((one) => typeof one === 'number' || (typeof one === 'string' && OFFSET.test(one)));
    return [{ startMs, endMs: end === undefined ? undefined : read(end, 'end'), price }];
  });
  const sorted = open.toSorted((a, b) => a.startMs - b.startMs).filter(({ startMs }, index, all) => startMs !== all[index - 1]?.startMs);
  let lengthMs = LONGEST_MS;
  return sorted.map(({ startMs, endMs, price }, index) => {
    const next = sorted[index + 1]?.startMs;
    // A later start belongs to another stretch: this slot is as long as the previous one.
    if (endMs !== undefined && endMs > startMs) lengthMs = endMs - startMs;
    else if (next !== undefined && next - startMs <= LONGEST_MS) lengthMs = next - startMs;
    return { startMs, endMs: startMs + lengthMs, price };
  });
};

/** The points, oldest first; some sources list the newest first. */
const inOrder = (points: readonly Point[]): readonly Point[] => {
  // The text is not trusted: an object instead of a time may have a toString that is not a function.
  const [first, last] = [points[0], points.at(-1)].map((point) => JSON.stringify(START_KEYS.map((key) => point?.[key])));
  return `${first}` > `${last}` ? points.toReversed() : points;
};

const OFFSET = /(?:Z|[+-]\d\d:?\d\d)$/iu;

/** Reads times in order: a local time that repeats is in the repeated hour. Seconds are ignored. */
const timeReader = (zone: string) => {
  const seen = new Set<string>();
  return (value: unknown, key: string): number | undefined => {
    if (typeof value === 'number') return minuteOf(value > 1e11 ? value : value * 1000);
    if (typeof value !== 'string') return undefined;
    const text = value.trim().replace(/(?<=\d)\s+(?=(?:Z|[+-]\d\d:?\d\d)$)/iu, '');
    const which = seen.has(text) ? 'later' : 'earlier';
    seen.add(text);
    return minuteOf(readInstant(text, key === 'TimeUTC' ? 'UTC' : zone, which) ?? Number.NaN);
  };
};

const minuteOf = (ms: number): number | undefined =>
  Number.isFinite(ms) && Math.abs(ms) < 8e15 ? Math.floor(ms / MINUTE_MS) * MINUTE_MS : undefined;

const mistakeIn = (slots: readonly PriceSlot[]): PriceMistake | undefined => {
  if (slots.some(({ startMs, endMs }) => endMs - startMs < SHORTEST_MS || endMs - startMs > LONGEST_MS)) return 'steps';
  const gaps = slots.slice(1).map(({ startMs }, index) => startMs - (slots[index]?.endMs ?? startMs));
  if (gaps.some((gap) => gap < 0)) return 'overlap';
  return gaps.some((gap) => gap > LONGEST_GAP_MS) ? 'gap' : undefined;
};

/** The end (epoch milliseconds) of the prices without a gap. */
export const pricesUntil = (slots: readonly PriceSlot[]): number =>
  slots.reduce((until, { startMs, endMs }) => (startMs === until ? endMs : until), slots[0]?.startMs ?? 0);
