import { isRecord, jsonObject } from '../../shared/json.ts';
import type { Topics } from '../model/device.ts';

/** Epoch milliseconds, the end exclusive. */
export type Span = { readonly from: number; readonly until: number };

/** A plan of a day as `bridge/price_plan` says; money in the currency itself. */
export type ShownPlan = Span & {
  readonly blocks: readonly Span[];
  readonly windows: readonly Span[];
  readonly own: readonly Span[];
  readonly price: number;
  readonly ownPrice: number;
  readonly kwh: number;
  readonly isMeasured: boolean;
  readonly atMost: number | undefined;
};

type PricePlan = {
  readonly mode: string;
  readonly running: ShownPlan | undefined;
  readonly proposed: ShownPlan | undefined;
  readonly refused: string | undefined;
  readonly isOrdered: boolean;
};

/** The price of a kWh from an instant on. */
export type Price = { readonly from: number; readonly price: number };

export type Prices = {
  readonly count: number;
  readonly minutes: number;
  readonly until: string;
  readonly unit: string;
  readonly isGuessed: boolean;
  readonly values: readonly Price[];
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
const records = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : []);
const spanOf = (value: Readonly<Record<string, unknown>>): Span => ({
  from: Date.parse(textOf(value['from'])),
  until: Date.parse(textOf(value['until'])),
});

const planOf = (value: unknown): ShownPlan | undefined => {
  if (!isRecord(value)) return undefined;
  const { blocks, windows, own, price, own_price, kwh, kwh_measured, at_most } = value;
  return {
    ...spanOf(value),
    ...{
      blocks: records(blocks).map(spanOf),
      windows: records(windows).map(spanOf),
      own: records(own).map(spanOf),
      price: numberOf(price),
      ownPrice: numberOf(own_price),
    },
    ...{ kwh: numberOf(kwh), isMeasured: kwh_measured === true, atMost: typeof at_most === 'number' ? at_most : undefined },
  };
};

const pricesOf = (value: unknown): Prices | undefined => {
  if (!isRecord(value)) return undefined;
  const { count, step_minutes, from, until, unit, unit_from, values } = value;
  const start = Date.parse(textOf(from));
  const pairs = Array.isArray(values) ? values.filter((one) => Array.isArray(one)) : [];
  return {
    ...{
      count: numberOf(count),
      minutes: numberOf(step_minutes),
      until: textOf(until),
      unit: textOf(unit),
      isGuessed: unit_from === 'guess',
    },
    values: pairs.map(([minutes, price]) => ({ from: start + numberOf(minutes) * 60_000, price: numberOf(price) })),
  };
};

/** What the bridge says of prices and of the plan of a device; undefined where it plans nothing there. */
export const pricePlanOf = (topics: Topics, base: string, device: string) => {
  const report = jsonObject(topics.get(`${base}/bridge/price_plan`) ?? '');
  const plan = isRecord(report?.['plans']) ? report['plans'][device] : undefined;
  if (!report || !isRecord(plan)) return undefined;
  const { mode, running, proposed, refused, ordered } = plan;
  const shown: PricePlan = {
    mode: textOf(mode),
    running: planOf(running),
    proposed: planOf(proposed),
    refused: typeof refused === 'string' ? refused : undefined,
    isOrdered: textOf(mode) === 'daily' || typeof ordered === 'string',
  };
  return { plan: shown, prices: pricesOf(report['prices']), mistake: textOf(report['mistake']), currency: textOf(report['currency']) };
};
