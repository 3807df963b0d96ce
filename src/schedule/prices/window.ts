import { DAY_MINUTES } from '../time.ts';
import { addDays, instantAt, localAt } from '../zone.ts';

/** Hot water: `need` minutes by `ready`, from `from` on (minutes since midnight; maybe the day before). */
export type Window = { readonly ready: number; readonly need: number; readonly from: number };

export const MOST_WINDOWS = 3;
export const SHORTEST_BLOCK = 60;
/** The minute of the day at which tomorrow's prices are available. */
const PRICES_ARE_THERE = 14 * 60;

const lengthOf = ({ from, ready }: Window): number => (ready - from + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES;

const isInside = (minute: number, window: Window): boolean => {
  const after = (minute - window.from + DAY_MINUTES) % DAY_MINUTES;
  return after > 0 && after < lengthOf(window);
};

/**
 * When a plan's day begins: the first minute after tomorrow's prices outside all windows, if any. With the
 * `resolution` of a schedule (minutes) it is on a step of it, because it cuts an entry of the week.
 */
export const turnOf = (windows: readonly Window[], resolution = 1): number | undefined => {
  const edges = [PRICES_ARE_THERE, ...windows.map(({ ready }) => ready)].filter((minute) => minute >= PRICES_ARE_THERE);
  return edges
    .sort((a, b) => a - b)
    .map((minute) => (Math.ceil(minute / resolution) * resolution) % DAY_MINUTES)
    .find((minute) => !windows.some((window) => isInside(minute, window)));
};

/** The mistake in windows: their number, one shorter than its block, overlaps, or no gap after 14:00. */
export const windowMistake = (windows: readonly Window[]): 'count' | 'short' | 'overlap' | 'turn' | undefined => {
  if (windows.length === 0 || windows.length > MOST_WINDOWS) return 'count';
  if (windows.some((window) => lengthOf(window) < Math.max(window.need, SHORTEST_BLOCK))) return 'short';
  const overlap = windows.some((one, index) => windows.slice(index + 1).some((two) => overlaps(one, two)));
  if (overlap) return 'overlap';
  return turnOf(windows) === undefined ? 'turn' : undefined;
};

const overlaps = (one: Window, two: Window): boolean => one.from === two.from || isInside(two.from, one) || isInside(one.from, two);

const TEXT = /^(\d\d?):(\d\d)-(\d\d?):(\d\d) (\d+) ?min$/u;

/** Reads `22:00-06:30 60 min`: ready by 06:30 for an hour, from 22:00. Undefined for anything else. */
export const readWindow = (text: string): Window | undefined => {
  const [, ...found] = TEXT.exec(text.trim()) ?? [];
  const [fromHour = 99, fromMinute = 0, hour = 99, minute = 0, need = 0] = found.map(Number);
  if (hour > 23 || minute > 59 || fromHour > 23 || fromMinute > 59 || need < 1) return undefined;
  return { ready: hour * 60 + minute, need, from: fromHour * 60 + fromMinute };
};

/** The last turn up to an instant, and the next one. The windows must have a turn, maybe between two steps. */
export const turnsAround = (
  windows: readonly Window[],
  nowMs: number,
  zone: string,
  resolution?: number,
): { readonly lastMs: number; readonly nextMs: number } => {
  const turn = turnOf(windows, resolution) ?? turnOf(windows) ?? 0;
  const today = localAt(nowMs, zone);
  const at = (days: number): number => instantAt(addDays(today, days), turn, zone);
  const [yesterday, here, tomorrow] = [at(-1), at(0), at(1)];
  return here <= nowMs ? { lastMs: here, nextMs: tomorrow } : { lastMs: yesterday, nextMs: here };
};
