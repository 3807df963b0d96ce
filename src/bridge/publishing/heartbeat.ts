/** Beyond it a number cannot grow by one for ever: nobody has counted so far, and what says so is somebody else's. */
const FURTHEST = 2 ** 52;

/** True for a beat that a bridge may have counted. */
export const isBeat = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value < FURTHEST;
