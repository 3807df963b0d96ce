import type { NumberControl } from './controls.ts';

/** The value some steps from this one, on the device's grid and within its limits; a value off the grid goes to the next place on it. */
export const stepped = ({ min, max, step }: NumberControl, value: number | undefined, steps: number): number => {
  const from = value ?? min;
  const place = (from - min) / step;
  const near = Math.round(place);
  const isOnGrid = Math.abs(place - near) < 1e-6;
  const next = isOnGrid ? near + steps : steps > 0 ? Math.ceil(place) + steps - 1 : Math.floor(place) + steps + 1;
  const most = Math.floor((max - min) / step + 1e-6);
  // Without the tail of a binary fraction.
  return Number((min + Math.min(Math.max(next, 0), most) * step).toFixed(6));
};
