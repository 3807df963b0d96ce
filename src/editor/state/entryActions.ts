import type { Day } from '../../schedule/week.ts';
import { byStart, type EditEntry } from '../model/editWeek.ts';
import { anyHour, hourAt, type Refusal, rangeAround, startingAt, stepOf, withEnd } from '../model/grid.ts';
import { broughtToFront } from '../model/lanes.ts';
import { type Joined, withJoined, withOverMidnight } from '../model/midnight.ts';
import { withEntries } from '../model/plan.ts';
import { entryName, spokenRow } from './labels.ts';
import type { EditorStore } from './store.ts';

/** The mode of a new entry: the last used mode. */
export const newMode = (store: EditorStore): string => {
  const modes = store.modes.value;
  const last = store.lastMode.value;
  return last !== undefined && modes.includes(last) ? last : (modes[0] ?? '');
};

/** The message for a change to an entry, on all days of its row. */
const saidOf = (store: EditorStore, what: 'didAdd' | 'didChange' | 'didDelete', day: Day, entry: EditEntry): string =>
  store.words.value[what](entryName(store, entry), spokenRow(store, day));

/** The reason why nothing can be added, as a sentence. */
export const refusalText = (store: EditorStore, refusal: Refusal): string =>
  refusal === 'full' ? store.words.value.fullReason(store.constraints.value.maxEntries ?? 0) : store.words.value.noRoomReason;

/** Adds an entry and opens it, or announces the refusal. */
export const add = (store: EditorStore, day: Day, entry: EditEntry | Refusal): void => {
  if (store.isReadonly.value) return;
  if (typeof entry === 'string') {
    store.say(refusalText(store, entry));
    return;
  }
  const entries = store.entries(day);
  const { value: before } = store.plan;
  store.edit(withEntries(before, day, [...entries, entry]), saidOf(store, 'didAdd', day, entry));
  openEntry(store, day, entries.length, before);
};

/** Adds a one-hour entry at this minute, after a tap. */
export const addAt = (store: EditorStore, day: Day, minute: number): void =>
  add(store, day, hourAt(store.entries(day), minute, newMode(store), store.constraints.value));

/** Adds an entry at any free place, for the add button. */
export const addAnywhere = (store: EditorStore, day: Day): void =>
  add(store, day, anyHour(store.entries(day), newMode(store), store.constraints.value));

export const openEntry = (store: EditorStore, day: Day, index: number, before = store.plan.value): void => {
  store.midnight.value = undefined;
  store.open.value = store.isReadonly.value ? undefined : { kind: 'entry', day, index, before };
  store.focusOn({ day, cell: index });
};

/** Replaces an entry; an equal entry is not a change. */
export const replace = (store: EditorStore, day: Day, index: number, entry: EditEntry): void => {
  const entries = store.entries(day);
  if (entries[index] === entry || entries[index] === undefined) return;
  const next = entries.map((one, at) => (at === index ? entry : one));
  store.edit(withEntries(store.plan.value, day, next), saidOf(store, 'didChange', day, entry));
};

/** Sets the start or end of an entry, from a list or a button. */
export const setTime = (store: EditorStore, day: Day, index: number, part: 'start' | 'end', minutes: number): void => {
  const entries = store.entries(day);
  const entry = entries[index];
  if (!entry) return;
  const constraints = store.constraints.value;
  const [range, step] = [rangeAround(entries, index, constraints), stepOf(constraints)];
  const next = part === 'start' ? startingAt(entry, minutes, range, step) : withEnd(entry, minutes, range, step);
  if (next === entry && minutes !== entry[part]) store.say(store.words.value.neighbours);
  replace(store, day, index, next);
};

export const setMode = (store: EditorStore, day: Day, index: number, mode: string): void => {
  const entry = store.entries(day)[index];
  if (!entry || entry.mode === mode) return;
  store.lastMode.value = mode;
  const { start, end, origin } = entry;
  replace(store, day, index, { start, end, mode, ...(origin ? { origin: { ...origin, mode } } : {}) });
};

/** Removes an entry; the focus goes to the next one. */
export const remove = (store: EditorStore, day: Day, index: number): void => {
  const entries = store.entries(day);
  const entry = entries[index];
  if (!entry || store.isReadonly.value) return;
  const order = byStart(entries);
  const after = order[order.indexOf(index) + 1];
  const left = entries.filter((_, at) => at !== index);
  store.open.value = undefined;
  store.edit(withEntries(store.plan.value, day, left), saidOf(store, 'didDelete', day, entry));
  store.focusOn({ day, cell: after === undefined ? 'add' : after - (after > index ? 1 : 0) });
};

/** Gives an entry precedence over those that overlap it. */
export const bringToFront = (store: EditorStore, day: Day, index: number): void => {
  const entries = store.entries(day);
  const entry = entries[index];
  if (!entry) return;
  store.edit(withEntries(store.plan.value, day, broughtToFront(entries, index)), saidOf(store, 'didChange', day, entry));
  openEntry(store, day, entries.length - 1);
};

/** Moves both parts of an entry across midnight. */
export const moveJoined = (store: EditorStore, day: Day, before: Joined, after: Joined): void => {
  if (before.start === after.start) return;
  store.edit(withJoined(store.plan.value, before, after), saidOf(store, 'didChange', day, after));
};

/** Splits the open entry at midnight: its chosen end is on the next day. */
export const splitAtMidnight = (store: EditorStore, day: Day, index: number): void => {
  const end = store.midnight.value;
  const entry = store.entries(day)[index];
  if (end === undefined || !entry) return;
  store.edit(withOverMidnight(store.plan.value, day, index, end), saidOf(store, 'didAdd', day, entry));
  openEntry(store, day, index);
};
