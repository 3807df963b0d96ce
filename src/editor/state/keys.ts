import { DAY_MINUTES } from '../../schedule/time.ts';
import type { Day } from '../../schedule/week.ts';
import { byStart } from '../model/editWeek.ts';
import { gridDown, gridUp, nextTime, rangeAround, stepOf } from '../model/grid.ts';
import { copyRow, openRow, pasteRow } from './dayActions.ts';
import { addAnywhere, openEntry, remove, setTime } from './entryActions.ts';
import type { Cell, EditorStore, Focus } from './store.ts';

/** A pressed key; `ctrl` is also the Command key on a Mac. */
export type Key = { readonly key: string; readonly ctrl: boolean };

/** The cells of a row in order: header, entries by start, add button. */
export const cellsOf = (store: EditorStore, day: Day): readonly Cell[] => [
  'row',
  ...byStart(store.entries(day)),
  ...(store.isReadonly.value ? [] : (['add'] as const)),
];

const HOUR = 60;

/** The cell of another row with the nearest time. */
const nearestCell = (store: EditorStore, from: Focus, day: Day): Cell => {
  const entry = typeof from.cell === 'number' ? store.entries(from.day)[from.cell] : undefined;
  if (!entry) return cellsOf(store, day).includes(from.cell) && typeof from.cell !== 'number' ? from.cell : 'row';
  const entries = store.entries(day);
  const distance = (index: number): number => Math.abs((entries[index]?.start ?? 0) - entry.start);
  const [nearest] = byStart(entries).toSorted((a, b) => distance(a) - distance(b));
  return nearest ?? (store.isReadonly.value ? 'row' : 'add');
};

const neighbourDay = (store: EditorStore, day: Day, by: number): Day | undefined => {
  const firsts = store.plan.value.rows.map(([first]) => first);
  return firsts[firsts.indexOf(store.row(day)[0]) + by];
};

/** The target cell of an arrow key, Home or End. */
const target = (store: EditorStore, { key, ctrl }: Key, from: Focus): Focus | undefined => {
  const cells = cellsOf(store, from.day);
  const at = cells.indexOf(from.cell);
  const firsts = store.plan.value.rows.map(([first = 'mon']) => first);
  const cellOf = (cell: Cell | undefined, day = from.day): Focus | undefined => (cell === undefined ? undefined : { day, cell });
  const firstEntry = (day: Day): Cell | undefined => cellsOf(store, day)[1] ?? 'row';
  switch (key) {
    case 'ArrowLeft':
      return cellOf(cells[at - 1]);
    case 'ArrowRight':
      return cellOf(cells[at + 1]);
    case 'ArrowUp':
    case 'ArrowDown': {
      const day = neighbourDay(store, from.day, key === 'ArrowUp' ? -1 : 1);
      return day && { day, cell: nearestCell(store, from, day) };
    }
    case 'Home':
      return ctrl ? cellOf(firstEntry(firsts[0] ?? 'mon'), firsts[0]) : cellOf(firstEntry(from.day));
    case 'End': {
      const day = ctrl ? (firsts.at(-1) ?? from.day) : from.day;
      return cellOf(cellsOf(store, day).at(-1), day);
    }
    default:
      return undefined;
  }
};

/** Handles a key on a grid cell; true if it had an effect. Enter and Space click the cell's button. */
export const cellKey = (store: EditorStore, pressed: Key, at: Focus): boolean => {
  const { key, ctrl } = pressed;
  const next = target(store, pressed, at);
  if (next) store.focusOn(next);
  else if (ctrl && key.toLowerCase() === 'c') copyRow(store, at.day);
  else if (ctrl && key.toLowerCase() === 'v') pasteRow(store, at.day);
  else if (ctrl) return false;
  else if (key === 'F2') openCell(store, at);
  else if ((key === 'Delete' || key === 'Backspace') && typeof at.cell === 'number') remove(store, at.day, at.cell);
  else return key.startsWith('Arrow') || key === 'Home' || key === 'End';
  return true;
};

/** Opens or closes a cell, for a click or Enter. */
export const openCell = (store: EditorStore, { day, cell }: Focus): void => {
  const { open } = store;
  const isOpen =
    open.value !== undefined &&
    store.row(open.value.day) === store.row(day) &&
    (open.value.kind === 'entry' ? open.value.index === cell : cell === 'row');
  if (isOpen) store.close();
  else if (cell === 'add') addAnywhere(store, day);
  else if (cell === 'row') openRow(store, day);
  else openEntry(store, day, cell);
};

/** The minimum and maximum time of a handle. */
export const reachOf = (
  store: EditorStore,
  day: Day,
  index: number,
  part: 'start' | 'end',
): { readonly min: number; readonly max: number } => {
  const entries = store.entries(day);
  const entry = entries[index] ?? { start: 0, end: DAY_MINUTES };
  const constraints = store.constraints.value;
  const [{ from, to }, step] = [rangeAround(entries, index, constraints), stepOf(constraints)];
  return part === 'start'
    ? { min: Math.min(entry.start, gridUp(from, step)), max: Math.max(entry.start, gridDown(entry.end - 1, step)) }
    : { min: Math.min(entry.end, gridUp(entry.start + 1, step)), max: Math.max(entry.end, gridDown(to, step)) };
};

/** Handles a key on a handle of the open entry; true if it had an effect. */
export const handleKey = (store: EditorStore, { key, ctrl }: Key, day: Day, index: number, part: 'start' | 'end'): boolean => {
  const entry = store.entries(day)[index];
  if (!entry || ctrl) return false;
  const step = stepOf(store.constraints.value);
  const { min, max } = reachOf(store, day, index, part);
  const now = entry[part];
  const times: Readonly<Record<string, number>> = {
    ArrowLeft: nextTime(now, -1, step),
    ArrowDown: nextTime(now, -1, step),
    ArrowRight: nextTime(now, 1, step),
    ArrowUp: nextTime(now, 1, step),
    PageDown: now - HOUR,
    PageUp: now + HOUR,
    Home: min,
    End: max,
  };
  const time = times[key];
  if (time === undefined) {
    if (key !== 'Delete' && key !== 'Backspace') return false;
    remove(store, day, index);
    return true;
  }
  const reached = Math.max(min, Math.min(max, time));
  if (reached === now) store.say(store.words.value.neighbours);
  else setTime(store, day, index, part, reached);
  return true;
};
