import type { PriceReport } from '../../schedule/prices/priceReport.ts';
import { jsonObject } from '../../shared/json.ts';
import type { Topics } from '../model/device.ts';

export type Prices = NonNullable<PriceReport['prices']>;
/** A plan of a day; money in the currency itself. */
export type ShownPlan = NonNullable<PriceReport['plans'][string]['running']>;
/** From an instant to another one (RFC 3339), the end exclusive. */
export type Span = ShownPlan['windows'][number];

/** What the bridge says of prices and of the plan of a device; undefined where it plans nothing there. */
export const pricePlanOf = (topics: Topics, base: string, device: string) => {
  const report = jsonObject(topics.get(`${base}/bridge/price_plan`) ?? '') as PriceReport | undefined;
  const plan = report && Object.hasOwn(report.plans, device) ? report.plans[device] : undefined;
  return report && plan && { ...report, plan, isOrdered: plan.mode === 'daily' || plan.ordered !== undefined };
};
