import * as z from 'zod/mini';
import { DAY_MINUTES, printTime } from '../time.ts';
import type { Mode, ModeSpan } from '../transitions.ts';
import { DAYS, type Day, type Entry, type Week } from '../week.ts';
import { addDays, clockAt, instantAt, localAt, nextTransition } from '../zone.ts';
import type { PriceSlot } from './readPrices.ts';
import { longestGap, type Released, releasedIn, releaseNear } from './released.ts';
import { MOST_WINDOWS, SHORTEST_BLOCK, type Window } from './window.ts';

/** Epoch milliseconds, the end exclusive. */
const SPAN = z.object({ startMs: z.number(), endMs: z.number() });
export type Span = Readonly<z.infer<typeof SPAN>>;

export type PlanInput = {
  /** The week without any plan. */
  readonly own: Week;
  readonly defaultMode: Mode;
  readonly resolution: number;
  readonly maxEntries: number;
  readonly zone: string;
  /** They do not overlap. */
  readonly windows: readonly Window[];
  readonly slots: readonly PriceSlot[];
  /** The plan begins here, outside all windows, and lasts 24 hours of local time. */
  readonly startMs: number;
  /** When the previous day's plan last releases hot water, if there is one. */
  readonly lastReleaseMs?: number | undefined;
  /** When the heating disinfects (against legionella) by itself. */
  readonly hygiene: readonly { readonly day: Day; readonly minutes: number }[];
  /** Minimum saving per kWh. */
  readonly leastPerKwh: number;
};

const BLOCK = z.extend(SPAN, {
  /** The mean price of a kWh in the block. */
  price: z.number(),
  /** True if the own week also releases hot water then. */
  isOwn: z.boolean(),
});
type Block = Readonly<z.infer<typeof BLOCK>>;

/** Why there is no plan; `week_empty`: the own week does not release hot water on this day. */
type PlanRefusal = 'no_prices' | 'week_empty' | 'several_modes' | 'hygiene' | 'no_room' | 'too_many_entries' | 'too_little';

const ENTRY = z.object({ start: z.string(), end: z.string(), mode: z.string(), position: z.number() });

/** The two days of a plan, and the mean prices of a kWh in it and in the own week; kept over restarts. */
export const PLAN = z.extend(SPAN, {
  kind: z.literal('plan'),
  blocks: z.readonly(z.array(BLOCK).check(z.minLength(1))),
  windows: z.readonly(z.array(SPAN)),
  /** When the own week releases hot water on that day. */
  own: z.readonly(z.array(SPAN)),
  days: z.partialRecord(z.enum(DAYS), z.readonly(z.array(ENTRY))),
  price: z.number(),
  ownPrice: z.number(),
});
export type Plan = Readonly<z.infer<typeof PLAN>>;

export type Planned = Plan | { readonly kind: 'refused'; readonly reason: PlanRefusal };

const MINUTE_MS = 60_000;
const LEAST_BETWEEN = 120;
/** Maximum minutes without a release of hot water; the own week may have longer gaps. */
const LONGEST_GAP = 14 * 60;
/** Prices are summed as integers, so that equal sums compare as equal. */
const MICRO = 1e6;

const refused = (reason: PlanRefusal): Planned => ({ kind: 'refused', reason });

/**
 * The best times to release hot water, for a day from `startMs`: one block in each window. It finds the exact
 * minimum of the price among blocks with at least two hours between them and no gap longer than 14 hours or
 * the longest of the own week. Of equal prices the latest wins; a block outside the own week's time has to be
 * cheaper by `leastPerKwh`. Pure: it uses no clock.
 */
export const planHotWater = (input: PlanInput): Planned => {
  const { own, defaultMode, zone, startMs, slots } = input;
  const released = releasedIn(own, defaultMode);
  const ownGap = longestGap(released);
  const endMs = instantAt(addDays(localAt(startMs, zone), 1), clockAt(startMs, zone).minutes, zone);
  const grid = gridOf(input, endMs, released);
  const [mode, ...others] = grid.modes;
  if (mode === undefined) return refused('week_empty');
  // A plan has one level, and would lower the other levels.
  if (others.length > 0) return refused('several_modes');
  if (grid.mayNotHeat) return refused('hygiene');
  const spans = spansOfWindows(input, endMs);
  if (spans.length === 0 || spans.length > MOST_WINDOWS) return refused('no_room');
  if (spans.some((span) => !isPriced(slots, span))) return refused('no_prices');
  const most = Math.max(LONGEST_GAP, ownGap) * MINUTE_MS;
  const placed = cheapest(input, grid, spans, { endMs, released, most });
  if (!placed) return refused('no_room');
  const days = daysOf(input, endMs, placed, mode, released);
  if (Object.values(days).some((entries) => entries.length > input.maxEntries)) return refused('too_many_entries');
  const minutes = placed.reduce((sum, one) => sum + one.endMs - one.startMs, 0);
  const price = placed.reduce((sum, one) => sum + one.price * (one.endMs - one.startMs), 0) / minutes;
  const { ownPrice } = grid;
  if (ownPrice === undefined) return refused('no_prices');
  if (ownPrice <= price || ownPrice - price < input.leastPerKwh) return refused('too_little');
  return { kind: 'plan', startMs, endMs, blocks: placed, windows: spans.map(spanOf), own: ownSpans(grid, startMs), days, price, ownPrice };
};

/** The steps of the plan's day: cost (millionths × minutes), and whether the own week releases hot water. */
type Grid = {
  readonly stepMs: number;
  readonly costs: readonly (number | undefined)[];
  readonly isOwn: readonly boolean[];
  /** The modes in which the own week releases it. */
  readonly modes: ReadonlySet<string>;
  readonly ownPrice: number | undefined;
  /** The heating disinfects within released time of the own week. */
  readonly mayNotHeat: boolean;
};

const gridOf = ({ resolution, startMs, zone, slots, hygiene }: PlanInput, endMs: number, released: Released): Grid => {
  const stepMs = resolution * MINUTE_MS;
  const steps = Array.from({ length: Math.floor((endMs - startMs) / stepMs) }, (_, index) => startMs + index * stepMs);
  const costs = steps.map((ms) => costOf(slots, { startMs: ms, endMs: ms + stepMs }));
  const at = steps.map((ms) => clockAt(ms, zone));
  const found = at.map(({ weekday, minutes }) => released(weekday, minutes));
  const isOwn = found.map((mode) => mode !== undefined);
  const modes = new Set(found.filter((mode) => mode !== undefined));
  const owned = costs.filter((_, index) => isOwn[index]);
  const sum = owned.reduce<number>((total, cost) => total + (cost ?? 0), 0);
  const isKnown = owned.length > 0 && owned.every((cost) => cost !== undefined);
  const mayNotHeat = at.some(
    ({ weekday, minutes: begin }, index) =>
      isOwn[index] === true && hygiene.some((run) => run.day === weekday && begin <= run.minutes && run.minutes < begin + resolution),
  );
  return { stepMs, costs, isOwn, modes, ownPrice: isKnown ? sum / (owned.length * resolution) / MICRO : undefined, mayNotHeat };
};

/** The price of a span times its minutes, in millionths; undefined where a minute has no price. */
const costOf = (slots: readonly PriceSlot[], span: Span): number | undefined => {
  let cost = 0;
  let minutes = 0;
  for (const slot of slots) {
    const shared = Math.max(0, Math.min(slot.endMs, span.endMs) - Math.max(slot.startMs, span.startMs)) / MINUTE_MS;
    cost += shared * Math.round(slot.price * MICRO);
    minutes += shared;
  }
  return minutes === (span.endMs - span.startMs) / MINUTE_MS ? cost : undefined;
};

/** The steps in which the own week releases hot water, joined. */
const ownSpans = ({ isOwn, stepMs }: Grid, startMs: number): readonly Span[] =>
  isOwn.flatMap((is, index) => {
    if (!is || isOwn[index - 1] === true) return [];
    const end = isOwn.indexOf(false, index);
    return [{ startMs: startMs + index * stepMs, endMs: startMs + (end < 0 ? isOwn.length : end) * stepMs }];
  });

const isPriced = (slots: readonly PriceSlot[], { startMs, endMs }: Span): boolean =>
  (slots[0]?.startMs ?? endMs) <= startMs && (slots.at(-1)?.endMs ?? startMs) >= endMs;

const spanOf = ({ startMs, endMs }: Span): Span => ({ startMs, endMs });

type WindowSpan = Span & { readonly need: number };

/** The windows of the plan's day, in their order. */
const spansOfWindows = ({ windows, zone, startMs }: PlanInput, endMs: number): readonly WindowSpan[] => {
  const today = localAt(startMs, zone);
  const at = (days: number, minutes: number): number => instantAt(addDays(today, days), minutes, zone);
  const spans = windows.flatMap(({ ready, need, from }) =>
    [0, 1].map((day) => ({ startMs: at(from < ready ? day : day - 1, from), endMs: at(day, ready), need: Math.max(need, SHORTEST_BLOCK) })),
  );
  return spans.filter((span) => span.startMs >= startMs && span.endMs <= endMs).sort((a, b) => a.startMs - b.startMs);
};

/** Blocks for the first windows, with their price; `late` decides between equal prices: greater wins. */
type Way = { readonly blocks: readonly Block[]; readonly endMs: number; readonly cost: number; readonly late: number };

const bestOf = (ways: readonly Way[]): Way | undefined => ways.toSorted((a, b) => a.cost - b.cost || b.late - a.late)[0];

/** The cheapest blocks, window by window, by the best way to each block. Undefined where none is allowed. */
const cheapest = (
  input: PlanInput,
  grid: Grid,
  spans: readonly WindowSpan[],
  { endMs, released, most }: { readonly endMs: number; readonly released: Released; readonly most: number },
): readonly Block[] | undefined => {
  const { startMs, zone, lastReleaseMs = Number.POSITIVE_INFINITY } = input;
  const firstMs = Math.min(releaseNear(released, startMs, -grid.stepMs, zone), lastReleaseMs);
  const changeMs = nextTransition(firstMs - 1, zone) ?? Number.POSITIVE_INFINITY;
  const mayFollow = (nextMs: number) => (before: Way) => {
    const gapMs = nextMs - before.endMs;
    // A skipped hour shortens a gap only on this day, and the revert may fail for weeks. A release up to 02:00
    // ends at the instant of the change.
    const isSkipping = before.endMs <= changeMs && changeMs <= nextMs;
    const usualMs = isSkipping ? gapMs + skippedMs(changeMs, zone) : gapMs;
    return usualMs <= most && (gapMs === 0 || gapMs >= LEAST_BETWEEN * MINUTE_MS);
  };
  let ways: readonly Way[] = [{ blocks: [], endMs: firstMs, cost: 0, late: 0 }];
  for (const span of spans) {
    const before = ways;
    ways = candidates(input, grid, span).flatMap(({ block, cost, late }) => {
      const best = bestOf(before.filter(mayFollow(block.startMs)));
      return best ? [{ blocks: [...best.blocks, block], endMs: block.endMs, cost: best.cost + cost, late: best.late + late }] : [];
    });
  }
  const lastMs = releaseNear(released, endMs, grid.stepMs, zone);
  return bestOf(ways.filter(mayFollow(lastMs)))?.blocks;
};

/** How far the clock is set forward at an instant. */
const skippedMs = (changeMs: number, zone: string): number => {
  const [before, after] = [clockAt(changeMs - MINUTE_MS, zone), clockAt(changeMs, zone)].map(({ minutes }) => minutes);
  const skipped = ((after ?? 0) - (before ?? 0) - 1 + DAY_MINUTES) % DAY_MINUTES;
  return skipped < DAY_MINUTES / 2 ? skipped * MINUTE_MS : 0;
};

/** Every block that fits into a window. Near a clock change there is none: local times are ambiguous. */
const candidates = ({ resolution, zone, startMs, leastPerKwh }: PlanInput, grid: Grid, span: WindowSpan) => {
  const count = Math.ceil(span.need / resolution);
  const firstStep = Math.ceil((span.startMs - startMs) / grid.stepMs);
  const lastStep = Math.floor((span.endMs - startMs) / grid.stepMs) - count;
  const change = nextTransition(startMs, zone) ?? Number.POSITIVE_INFINITY;
  return Array.from({ length: Math.max(0, lastStep - firstStep + 1) }, (_, index) => firstStep + index).flatMap((step) => {
    const block = { startMs: startMs + step * grid.stepMs, endMs: startMs + (step + count) * grid.stepMs };
    if (block.startMs - 60 * MINUTE_MS < change && change <= block.endMs + 60 * MINUTE_MS) return [];
    if (clockAt(block.startMs, zone).minutes % Math.min(resolution, 60) !== 0) return [];
    const costs = grid.costs.slice(step, step + count);
    if (!costs.every((cost) => cost !== undefined)) return [];
    const cost = costs.reduce((sum, one) => sum + one, 0);
    const isOwn = grid.isOwn.slice(step, step + count).every(Boolean);
    const minutes = count * resolution;
    const extra = isOwn ? 0 : Math.round(leastPerKwh * MICRO) * minutes;
    return [{ block: { ...block, price: cost / minutes / MICRO, isOwn }, cost: cost + extra, late: step }];
  });
};

/** The two days as sent: the own week up to the plan, its blocks, and the own week after it. */
const daysOf = (
  { startMs, zone }: PlanInput,
  endMs: number,
  blocks: readonly Block[],
  mode: string,
  released: Released,
): Readonly<Partial<Record<Day, readonly Entry[]>>> => {
  const [first, second] = [clockAt(startMs, zone).weekday, clockAt(endMs, zone).weekday];
  /** Minutes of local time since the first midnight. */
  const minuteAt = (ms: number): number => {
    const { weekday, minutes } = clockAt(ms, zone);
    return (weekday === first ? 0 : DAY_MINUTES) + minutes;
  };
  const [turn, end] = [minuteAt(startMs), minuteAt(endMs)];
  const planned = blocks.map((block) => ({ from: minuteAt(block.startMs), to: minuteAt(block.endMs) }));
  const modeAt = (minute: number): string | undefined => {
    if (minute < turn) return released(first, minute);
    if (minute >= end) return released(second, minute - DAY_MINUTES);
    return planned.some(({ from, to }) => from <= minute && minute < to) ? mode : undefined;
  };
  return { [first]: entriesOf(modeAt), [second]: entriesOf((minute) => modeAt(minute + DAY_MINUTES)) };
};

/** The entries of a day with these modes; no entry without a mode. */
const entriesOf = (modeAt: (minute: number) => string | undefined): readonly Entry[] => {
  const spans: ModeSpan[] = [];
  for (let minute = 0; minute < DAY_MINUTES; minute += 1) {
    const [mode, last] = [modeAt(minute), spans.at(-1)];
    if (mode === undefined) continue;
    const goesOn = last?.end === minute && last.mode === mode;
    spans.splice(goesOn ? -1 : spans.length, 1, { start: goesOn ? last.start : minute, end: minute + 1, mode });
  }
  return spans.map(({ start, end, mode }, position) => ({ start: printTime(start), end: printTime(end), mode, position }));
};
