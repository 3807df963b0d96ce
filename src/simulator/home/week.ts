import { isDeepStrictEqual } from 'node:util';
import { isArray, isObject, type Json, type JsonObject } from '../http/json.ts';
import { DAYS, type Day } from './wallClock.ts';

/** One broken rule; `path` is a JSON pointer into the body. */
export type Problem = { readonly path: string; readonly message: string };

const TIME = /^(?:([01]\d|2[0-3]):([0-5]\d)|24:00)$/;
const ENTRY_KEYS: readonly string[] = ['start', 'end', 'mode', 'position'];

/** Minutes since midnight for `HH:MM` (24:00 = 1440); undefined for any other value. */
export const minuteOf = (time: Json | undefined): number | undefined => {
  if (typeof time !== 'string' || !TIME.test(time)) return undefined;
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
};

const checkTimes = (entry: JsonObject, resolution: Json | undefined, path: string): Problem[] => {
  const start = minuteOf(entry.start);
  const end = minuteOf(entry.end);
  const problems: Problem[] = [];
  if (start === undefined || start === 1440) problems.push({ path: `${path}/start`, message: 'must be a time HH:MM from 00:00 to 23:59' });
  if (end === undefined) problems.push({ path: `${path}/end`, message: 'must be a time HH:MM up to 24:00' });
  if (start === undefined || end === undefined) return problems;
  if (start >= end) problems.push({ path: `${path}/end`, message: 'must be after start' });
  if (typeof resolution !== 'number' || resolution <= 0) return problems;
  if (start % resolution !== 0) problems.push({ path: `${path}/start`, message: `must be a multiple of ${resolution} minutes` });
  if (end % resolution !== 0) problems.push({ path: `${path}/end`, message: `must be a multiple of ${resolution} minutes` });
  return problems;
};

const checkEntry = (entry: Json, limits: JsonObject, path: string): Problem[] => {
  if (!isObject(entry)) return [{ path, message: 'must be an object' }];
  const keys = Object.keys(entry);
  const problems: Problem[] = [
    ...ENTRY_KEYS.filter((name) => !keys.includes(name)).map((name) => ({ path: `${path}/${name}`, message: 'is required' })),
    ...keys.filter((name) => !ENTRY_KEYS.includes(name)).map((name) => ({ path: `${path}/${name}`, message: 'is not allowed' })),
  ];
  if (problems.length > 0) return problems;
  const { mode, position } = entry;
  const modes = isArray(limits.modes) ? limits.modes : undefined;
  if (typeof mode !== 'string' || (modes && !modes.includes(mode))) {
    problems.push({ path: `${path}/mode`, message: `must be one of ${(modes ?? []).join(', ')}` });
  }
  if (typeof position !== 'number' || !Number.isInteger(position) || position < 0) {
    problems.push({ path: `${path}/position`, message: 'must be an integer from 0' });
  }
  return [...problems, ...checkTimes(entry, limits.resolution, path)];
};

const repeated = (entries: readonly Json[], path: string): Problem[] => {
  const positions = entries.map((entry) => (isObject(entry) ? entry.position : undefined));
  return positions.flatMap((position, i) =>
    position !== undefined && positions.indexOf(position) < i ? [{ path: `${path}/${i}/position`, message: 'is there twice' }] : [],
  );
};

// Half-open intervals: touching entries do not overlap (recorded: 141 pairs, 42 where overlap is forbidden).
const overlaps = (entries: readonly Json[], path: string): Problem[] => {
  const spans = entries.flatMap((entry, i) => {
    const start = isObject(entry) ? minuteOf(entry.start) : undefined;
    const end = isObject(entry) ? minuteOf(entry.end) : undefined;
    return start === undefined || end === undefined || start >= end ? [] : [{ i, start, end }];
  });
  const sorted = spans.sort((a, b) => a.start - b.start || a.i - b.i);
  let latest = 0;
  return sorted.flatMap(({ i, start, end }) => {
    const problem = start < latest ? [{ path: `${path}/${i}`, message: 'overlaps another entry' }] : [];
    latest = Math.max(latest, end);
    return problem;
  });
};

const checkDay = (day: Json, limits: JsonObject, path: string): Problem[] => {
  if (!isArray(day)) return [{ path, message: 'must be an array of entries' }];
  const { maxEntries, overlapAllowed } = limits;
  return [
    ...(typeof maxEntries === 'number' && day.length > maxEntries ? [{ path, message: `must have at most ${maxEntries} entries` }] : []),
    ...day.flatMap((entry, i) => checkEntry(entry, limits, `${path}/${i}`)),
    ...repeated(day, path),
    ...(overlapAllowed === false ? overlaps(day, path) : []),
  ];
};

/**
 * The broken rules of a week: seven days, four keys per entry, grid, order, modes, entries per day, overlap.
 * A day equal to the current one is always accepted: devices break their own rules (23:59 off the grid).
 */
export const checkWeek = (week: Json, limits: JsonObject, shown: Json | undefined, path: string): Problem[] => {
  if (!isObject(week)) return [{ path, message: 'must be an object of seven days' }];
  const known: readonly string[] = DAYS;
  const strangers = Object.keys(week).filter((day) => !known.includes(day));
  return [
    ...strangers.map((day) => ({ path: `${path}/${day}`, message: 'is not a day' })),
    ...DAYS.flatMap((day) => {
      const entries = Object.hasOwn(week, day) ? week[day] : undefined;
      if (entries === undefined) return [{ path: `${path}/${day}`, message: 'is required' }];
      if (isObject(shown) && isDeepStrictEqual(shown[day], entries)) return [];
      return checkDay(entries, limits, `${path}/${day}`);
    }),
  ];
};

/** The mode at a minute of a day: that of the entry with the highest position; undefined outside entries. */
export const modeAt = (week: Json | undefined, day: Day, minute: number): string | undefined => {
  const entries = isObject(week) && isArray(week[day]) ? week[day].filter(isObject) : [];
  const holding = entries
    .filter(({ start, end }) => (minuteOf(start) ?? 0) <= minute && minute < (minuteOf(end) ?? 0))
    .sort((a, b) => Number(a.position) - Number(b.position));
  const mode = holding.at(-1)?.mode;
  return typeof mode === 'string' ? mode : undefined;
};
