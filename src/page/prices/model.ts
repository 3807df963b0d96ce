import type { PriceReport } from '../../schedule/prices/priceReport.ts';
import { jsonObject } from '../../shared/json.ts';
import type { Topics } from '../model/device.ts';

export type Prices = NonNullable<PriceReport['prices']>;
/** The plan of a day; amounts in the main currency unit. */
export type ShownPlan = NonNullable<PriceReport['plans'][string]['running']>;
/** A period between two instants (RFC 3339), end exclusive. */
export type Span = ShownPlan['windows'][number];

/** The prices and the price plan of a device; undefined if the bridge plans nothing for it. */
export const pricePlanOf = (topics: Topics, base: string, device: string) => {
  const report = jsonObject(topics.get(`${base}/bridge/price_plan`) ?? '') as PriceReport | undefined;
  const plan = report && Object.hasOwn(report.plans, device) ? report.plans[device] : undefined;
  return report && plan && { ...report, plan, isOrdered: plan.mode === 'daily' || plan.ordered !== undefined };
};
