import { setTimeout as sleep } from 'node:timers/promises';

/** Schedules of the simulated home change their mode on this grid, in every zone; the bridge says so by itself. */
const GRID_MS = 600_000;

/** Waits where a schedule can change within so many milliseconds: what the clock has the bridge say must not be taken for what a test did. */
export const awayFromChange = async (withinMs: number): Promise<void> => {
  const leftMs = GRID_MS - (Date.now() % GRID_MS);
  if (leftMs < withinMs) await sleep(leftMs + 300);
};
