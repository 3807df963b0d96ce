import type { Plan, Planned, Span } from './planHotWater.ts';
import { type PriceMistake, type Prices, pricesUntil } from './readPrices.ts';

/** Electricity for hot water on a usual day; `isMeasured`: by the device's own counters. */
export type Need = { readonly kwh: number; readonly isMeasured: boolean };

/** The order, the running plan and the proposal of a device. */
export type PlanReport = {
  readonly note: {
    readonly mode: 'daily' | 'once' | 'off';
    readonly running?: Plan | undefined;
    readonly onceMs?: number | undefined;
  };
  readonly proposed: Planned;
  readonly water: Need;
};

/** Why the address of the prices was not read the last time, and since when (RFC 3339). */
export type Unread = { readonly unread: string; readonly unread_since: string };

/** The payload of `bridge/price_plan` (docs/topics.md). */
export type PriceReport = ReturnType<typeof priceReport>;

/** The prices as read, and for each device the running plan, the proposal and the order. */
export const priceReport = (
  prices: Prices | undefined,
  trouble: { readonly mistake?: PriceMistake; readonly names?: readonly string[] } & Partial<Unread>,
  currency: string,
  plans: Readonly<Record<string, PlanReport>>,
) => ({
  currency,
  ...(prices ? { prices: pricesOf(prices) } : {}),
  ...trouble,
  plans: Object.fromEntries(Object.entries(plans).map(([name, report]) => [name, planOf(report, prices)])),
});

const instant = (ms: number): string => new Date(ms).toISOString();

const pricesOf = ({ slots, stepMinutes, unit, by }: Prices) => {
  const fromMs = slots[0]?.startMs ?? 0;
  return {
    ...{ count: slots.length, step_minutes: stepMinutes, unit, unit_from: by },
    from: instant(fromMs),
    until: instant(pricesUntil(slots)),
    /** Each slot: its start in minutes after the first one, and its price per kWh. */
    values: slots.map(({ startMs, price }) => [(startMs - fromMs) / 60_000, Number(price.toFixed(5))] as const),
  };
};

const planOf = ({ note, proposed, water }: PlanReport, prices: Prices | undefined) => ({
  mode: note.mode,
  ...(note.running ? { running: shownPlan(note.running, water, prices) } : {}),
  ...(proposed.kind === 'plan' ? { proposed: shownPlan(proposed, water, prices) } : {}),
  ...(proposed.kind === 'refused' ? { refused: proposed.reason } : {}),
  ...(note.onceMs === undefined ? {} : { ordered: instant(note.onceMs) }),
});

const shownSpan = ({ startMs, endMs }: Span) => ({ from: instant(startMs), until: instant(endMs) });

/** `at_most`: the saving on its day, where the unit of the prices is known and not guessed. */
const shownPlan = (
  { startMs, endMs, blocks, windows, own, days, price, ownPrice }: Plan,
  { kwh, isMeasured }: Need,
  prices: Prices | undefined,
) => ({
  from: instant(startMs),
  until: instant(endMs),
  blocks: blocks.map((block) => ({ ...shownSpan(block), price: Number(block.price.toFixed(5)) })),
  windows: windows.map(shownSpan),
  own: own.map(shownSpan),
  days,
  price: Number(price.toFixed(5)),
  own_price: Number(ownPrice.toFixed(5)),
  kwh: Number(kwh.toFixed(1)),
  kwh_measured: isMeasured,
  ...(prices === undefined || prices.by === 'guess' ? {} : { at_most: Number(((ownPrice - price) * kwh).toFixed(2)) }),
});
