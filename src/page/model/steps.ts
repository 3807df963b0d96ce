import type { NumberControl } from './controls.ts';

/** °C of a room. */
const USUAL = 20;

/** The value some steps from this one, on the device's grid and within its limits; a value off the grid goes to the next place on it. */
export const stepped = (control: NumberControl, value: number | undefined, steps: number): number => {
  const { min, max, step } = control;
  // Without a value, from one that nobody is surprised by.
  if (value === undefined) return stepped(control, Math.min(Math.max(USUAL, min), max), 0);
  const from = value;
  const place = (from - min) / step;
  const near = Math.round(place);
  const isOnGrid = Math.abs(place - near) < 1e-6;
  const next = isOnGrid ? near + steps : steps === 0 ? near : steps > 0 ? Math.ceil(place) + steps - 1 : Math.floor(place) + steps + 1;
  const most = Math.floor((max - min) / step + 1e-6);
  // Without the tail of a binary fraction.
  return Number((min + Math.min(Math.max(next, 0), most) * step).toFixed(6));
};
