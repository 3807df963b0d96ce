import type { Constraints } from '../../schedule/constraints.ts';
import { DAY_MINUTES } from '../../schedule/time.ts';
import { type EditDay, type EditEntry, isDrawable } from './editWeek.ts';

/** A range of minutes in a day. */
export type Range = { readonly from: number; readonly to: number };

const HOUR = 60;
const WHOLE_DAY: Range = { from: 0, to: DAY_MINUTES };

/** The grid step in minutes; 1 minute if the schedule has no resolution. */
export const stepOf = ({ resolution }: Constraints): number => Math.max(1, Math.round(resolution ?? 1));

/** Rounds down to the grid. 24:00 is on every grid. */
export const gridDown = (minutes: number, step: number): number =>
  minutes >= DAY_MINUTES ? DAY_MINUTES : Math.max(0, Math.floor(minutes / step) * step);

/** Rounds up to the grid. */
export const gridUp = (minutes: number, step: number): number => Math.min(DAY_MINUTES, Math.max(0, Math.ceil(minutes / step) * step));

/** Rounds to the nearest grid time. */
export const snap = (minutes: number, step: number): number => {
  const [low, high] = [gridDown(minutes, step), gridUp(minutes, step)];
  return minutes - low < high - minutes ? low : high;
};

/** The next grid time in a direction. A time off the grid moves to the adjacent grid time. */
export const nextTime = (minutes: number, direction: 1 | -1, step: number): number =>
  direction > 0 ? gridUp(minutes + 1, step) : gridDown(minutes - 1, step);

/** The free range for an entry: the whole day if overlaps are allowed. Existing overlaps are ignored. */
export const rangeAround = (entries: EditDay, index: number, { overlapAllowed }: Constraints): Range => {
  const entry = entries[index];
  if (overlapAllowed === true || !entry) return WHOLE_DAY;
  return freeRange(
    entries.filter((other, at) => at !== index && isDrawable(other)),
    entry,
  );
};

const freeRange = (others: EditDay, { start, end }: Pick<EditEntry, 'start' | 'end'>): Range => ({
  from: Math.max(0, ...others.filter((other) => other.end <= start).map((other) => other.end)),
  to: Math.min(DAY_MINUTES, ...others.filter((other) => other.start >= end).map((other) => other.start)),
});

const between = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));

const changed = (entry: EditEntry, start: number, end: number): EditEntry =>
  start === entry.start && end === entry.end ? entry : { start, end, mode: entry.mode };

/** The entry with a new start, on the grid, within the range and before its end. */
export const withStart = (entry: EditEntry, start: number, { from }: Range, step: number): EditEntry => {
  const latest = gridDown(entry.end - 1, step);
  if (start === entry.start) return entry;
  return changed(entry, between(snap(start, step), Math.min(gridUp(from, step), latest), latest), entry.end);
};

/** The entry with a new end, on the grid, within the range and after its start. */
export const withEnd = (entry: EditEntry, end: number, { to }: Range, step: number): EditEntry => {
  const earliest = gridUp(entry.start + 1, step);
  if (end === entry.end) return entry;
  return changed(entry, entry.start, between(snap(end, step), earliest, Math.max(gridDown(to, step), earliest)));
};

/** The entry moved to a new start with the same length, on the grid and within the range. */
export const movedTo = (entry: EditEntry, start: number, range: Range, step: number): EditEntry => {
  if (start === entry.start) return entry;
  const length = Math.max(step, snap(entry.end - entry.start, step));
  const [from, to] = [gridUp(range.from, step), gridDown(range.to, step)];
  if (to - from < length) return entry;
  const begin = gridDown(between(snap(start, step), from, to - length), step);
  return changed(entry, begin, Math.min(to, begin + length));
};

/** The entry with a new start. A start after its end keeps the length if there is room. */
export const startingAt = (entry: EditEntry, start: number, range: Range, step: number): EditEntry => {
  const begin = snap(start, step);
  if (begin < entry.end) return withStart(entry, start, range, step);
  const end = Math.min(gridDown(range.to, step), gridUp(begin + Math.max(step, entry.end - entry.start), step));
  return end > begin ? { start: begin, end, mode: entry.mode } : entry;
};

/** Why no entry can be added to a day. */
export type Refusal = 'full' | 'noRoom';

/** True if the day has the maximum number of entries. */
const isFull = (entries: EditDay, { maxEntries }: Constraints): boolean => maxEntries !== undefined && entries.length >= maxEntries;

/** A new one-hour entry at this minute; shorter or moved if other entries leave less room. */
export const hourAt = (entries: EditDay, minute: number, mode: string, constraints: Constraints): EditEntry | Refusal => {
  const step = stepOf(constraints);
  const coarse = 30 % step === 0 ? 30 : step;
  const at = gridDown(Math.min(minute, DAY_MINUTES - 1), coarse);
  if (isFull(entries, constraints)) return 'full';
  const { from, to } = rangeAt(entries, minute, constraints);
  const [first, last] = [gridUp(from, step), gridDown(to, step)];
  if (last - first < step) return 'noRoom';
  const length = Math.min(gridUp(HOUR, step), last - first);
  const start = gridDown(between(at, first, last - length), step);
  return { start, end: gridUp(Math.min(start + length, last), step), mode };
};

/** The free time around a minute. */
const rangeAt = (entries: EditDay, minute: number, { overlapAllowed }: Constraints): Range => {
  if (overlapAllowed === true) return WHOLE_DAY;
  const drawn = entries.filter(isDrawable);
  if (drawn.some(({ start, end }) => start <= minute && minute < end)) return { from: minute, to: minute };
  return freeRange(drawn, { start: minute, end: minute + 1 });
};

/** A new entry that the user draws from one minute to another. */
export const drawn = (entries: EditDay, from: number, to: number, mode: string, constraints: Constraints): EditEntry | Refusal => {
  if (isFull(entries, constraints)) return 'full';
  const step = stepOf(constraints);
  const range = rangeAt(entries, from, constraints);
  const [first, last] = [gridUp(range.from, step), gridDown(range.to, step)];
  const start = between(gridDown(Math.min(from, to), step), first, last);
  const end = between(gridUp(Math.max(from, to), step), first, last);
  return end > start ? { start, end, mode } : 'noRoom';
};

const MORNING = 6 * HOUR;

/** A new one-hour entry after the last entry, else at the first place with an hour free, else shorter. */
export const anyHour = (entries: EditDay, mode: string, constraints: Constraints): EditEntry | Refusal => {
  if (isFull(entries, constraints)) return 'full';
  const lastEnd = Math.max(MORNING, ...entries.map(({ end }) => end));
  const candidates = [lastEnd, ...Array.from({ length: 24 }, (_, hour) => ((hour + 6) % 24) * HOUR), ...entries.map(({ end }) => end)];
  const found = candidates
    .filter((minute) => minute < DAY_MINUTES)
    .map((minute) => hourAt(entries, minute, mode, constraints))
    .filter((one) => typeof one !== 'string');
  return found.find(({ start, end }) => end - start >= HOUR) ?? found[0] ?? 'noRoom';
};
