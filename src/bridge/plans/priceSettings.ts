import { PRICE_UNITS, type PriceUnit } from '../../schedule/prices/priceUnit.ts';
import { readWindow, type Window } from '../../schedule/prices/window.ts';

/** `unit`: of the numbers, where a person has set it. */
export type PriceSettings = {
  readonly topic: string | null;
  readonly unit?: PriceUnit | undefined;
  readonly currency: string;
  readonly windows: readonly Window[];
};

/** The same as a person has written it. */
type Written = {
  readonly topic: string | null;
  readonly url: string | null;
  readonly unit: string;
  readonly currency: string;
  readonly windows: readonly string[];
};

/** Undefined where no prices come. */
export const priceSettings = ({ topic, url, unit, currency, windows }: Written): PriceSettings | undefined =>
  topic === null && url === null
    ? undefined
    : { topic, unit: PRICE_UNITS.find((one) => one === unit), currency, windows: windows.flatMap((text) => readWindow(text) ?? []) };
