import { jsonObject } from '../../shared/json.ts';
import type { Topics } from '../model/device.ts';

/** From an instant to another one (RFC 3339), the end exclusive. */
export type Span = { readonly from: string; readonly until: string };

/** A plan of a day; money in the currency itself. */
export type ShownPlan = Span & {
  readonly blocks: readonly Span[];
  readonly windows: readonly Span[];
  readonly own: readonly Span[];
  readonly price: number;
  readonly own_price: number;
  readonly kwh: number;
  readonly kwh_measured: boolean;
  readonly at_most?: number;
};

/** `values`: from how many minutes behind `from` on a kWh has which price. */
export type Prices = Span & {
  readonly count: number;
  readonly step_minutes: number;
  readonly unit: string;
  readonly unit_from: string;
  readonly values: readonly (readonly [minutes: number, price: number])[];
};

/** What `bridge/price_plan` says (docs/topics.md), as far as it is shown. */
type PriceReport = {
  readonly currency: string;
  readonly mistake?: string;
  readonly prices?: Prices;
  readonly plans: Readonly<
    Record<
      string,
      {
        readonly mode: string;
        readonly running?: ShownPlan;
        readonly proposed?: ShownPlan;
        readonly refused?: string;
        readonly ordered?: string;
      }
    >
  >;
};

/** What the bridge says of prices and of the plan of a device; undefined where it plans nothing there. */
export const pricePlanOf = (topics: Topics, base: string, device: string) => {
  const report = jsonObject(topics.get(`${base}/bridge/price_plan`) ?? '') as PriceReport | undefined;
  const plan = report && Object.hasOwn(report.plans, device) ? report.plans[device] : undefined;
  return report && plan && { ...report, plan, isOrdered: plan.mode === 'daily' || plan.ordered !== undefined };
};
