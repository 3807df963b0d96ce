import { nearestWords } from '../shared/closestMatch.ts';
import { type Issue, pointer } from '../shared/issue.ts';
import { isRecord } from '../shared/json.ts';
import { broken, shown } from '../shared/rules.ts';
import { readEntry } from './entry.ts';
import { DAYS, type Day } from './week.ts';
import type { WrittenDay, WrittenWeek } from './writtenWeek.ts';

/**
 * A whole or partial week as a person sent it in JSON, `{"newSchedule":{…}}` included, with JSON pointers into what was sent
 * (CONTRACT §3.4, §3.5); `at` is the pointer of the week itself.
 */
export const readJsonWeek = (json: unknown, at = ''): WrittenWeek => {
  const days = new Map<Day, WrittenDay>();
  if (!isRecord(json)) return { days, issues: [noWeek(at, json)] };
  const wrapped = Object.hasOwn(json, 'newSchedule');
  const body = wrapped ? json.newSchedule : json;
  const root = wrapped ? `${at}/newSchedule` : at;
  const issues: Issue[] = wrapped ? besides(json, at) : [];
  if (!isRecord(body)) return { days, issues: [...issues, noWeek(root, body)] };
  const keys = Object.keys(body);
  if (keys.length === 0) issues.push(broken('empty', root, 'no day is named; a day without entries is {"mon":[]}', { allowed: DAYS }));
  for (const key of keys) {
    const day = DAYS.find((known) => known === key);
    if (day) days.set(day, readDay(day, body[key], root + pointer(day)));
    else issues.push(unknownDay(key, root));
  }
  return { days, issues };
};

/** One day as a person sent it in JSON: the list of its entries; `at` is its pointer. */
export const readJsonDay = (day: Day, json: unknown, at = ''): WrittenWeek => ({
  days: new Map([[day, readDay(day, json, at)]]),
  issues: [],
});

const noWeek = (path: string, got: unknown): Issue =>
  broken('type', path, `a week is an object of days, {"mon":[…],…}, not ${shown(got)}`, { got });

const besides = (json: object, at: string): Issue[] =>
  Object.keys(json)
    .filter((key) => key !== 'newSchedule')
    .map((key) => broken('unknown_key', at + pointer(key), `beside newSchedule stands nothing else, but here ${shown(key)}`, { got: key }));

// Words of the envelope that stand where the days do.
const OF_ENVELOPE: ReadonlySet<string> = new Set(['id', 'if_rev', 'until', 'for']);

const unknownDay = (key: string, root: string): Issue => {
  if (OF_ENVELOPE.has(key)) {
    const message = `${key} stands beside the week, not in it: {"value":{"mon":[…],…},"${key}":…}`;
    return broken('unknown_day', root + pointer(key), message, { got: key, allowed: DAYS });
  }
  const begins = DAYS.filter((day) => key.toLowerCase().startsWith(day));
  const nearest = begins.length > 0 ? begins : nearestWords(key, DAYS);
  return broken('unknown_day', root + pointer(key), `${shown(key)} is no day; days are ${DAYS.join(', ')}`, {
    got: key,
    allowed: DAYS,
    nearest,
  });
};

const readDay = (day: Day, list: unknown, place: string): WrittenDay => {
  if (!Array.isArray(list)) {
    const message = `a day is a list of entries, [] when it has none, not ${shown(list)}`;
    return { drafts: [], issues: [broken('type', place, message, { got: list })] };
  }
  const issues: Issue[] = [];
  const drafts = list.map((raw: unknown, index) => readEntry(raw, day, place, index, issues));
  const taken = new Set<number>();
  for (const { position, places } of drafts) {
    if (position === undefined) continue;
    if (taken.has(position)) {
      issues.push(broken('position', `${places.entry}/position`, `position ${position} stands twice in this day`, { got: position }));
    }
    taken.add(position);
  }
  return { drafts, issues };
};
