import { DAY_MINUTES } from '../../schedule/time.ts';
import { DAYS, type Day } from '../../schedule/week.ts';
import { drawn, movedTo, rangeAround, stepOf, withEnd, withStart } from '../model/grid.ts';
import { joinedAt, movedJoined } from '../model/midnight.ts';
import { add, addAt, moveJoined, newMode, openEntry, replace } from '../state/entryActions.ts';
import { cellKey, handleKey, openCell } from '../state/keys.ts';
import type { Drag, EditorStore, Focus } from '../state/store.ts';

/** A pressed pointer, with its start position. */
type Grip = {
  readonly pointer: number;
  readonly part: Drag['part'];
  readonly day: Day;
  readonly index?: number;
  readonly lane: Element;
  readonly from: number;
  readonly x: number;
  readonly y: number;
};

// Ignores small movements of the hand.
const STILL_PX = 4;

/** The mouse grabs the edge of an entry within this distance, in minutes. */
const EDGE = 12;

const dayOf = (text: string | undefined): Day | undefined => DAYS.find((day) => day === text);

const closest = (event: Event, selector: string): HTMLElement | undefined => {
  const { target } = event;
  const found = target instanceof Element ? target.closest(selector) : null;
  return found instanceof HTMLElement ? found : undefined;
};

/** Handles pointer drags and clicks on free time, on the whole grid, until `signal` aborts. */
export const listenToPointer = (root: HTMLElement, store: EditorStore, signal: AbortSignal): void => {
  const on = <E extends keyof HTMLElementEventMap>(name: E, listen: (event: HTMLElementEventMap[E]) => void, capture = false): void =>
    root.addEventListener(name, listen, { signal, capture });
  let grip: Grip | undefined;
  let hasDragged = false;

  const minuteAt = (lane: Element, event: MouseEvent): number => {
    const { left, top, width, height } = lane.getBoundingClientRect();
    const share = store.isWide.value ? (event.clientX - left) / width : (event.clientY - top) / height;
    return Math.max(0, Math.min(DAY_MINUTES, Math.round(share * DAY_MINUTES)));
  };

  const gripAt = (event: PointerEvent): Grip | undefined => {
    const lane = closest(event, '[data-lane]');
    const day = dayOf(lane?.dataset['lane']);
    if (!lane || !day || event.button !== 0 || store.isReadonly.value) return undefined;
    const common = { pointer: event.pointerId, day, lane, from: minuteAt(lane, event), x: event.clientX, y: event.clientY };
    const entry = closest(event, '[data-index]');
    // A finger on free time scrolls or taps.
    if (!entry) return event.pointerType === 'touch' ? undefined : { ...common, part: 'new' };
    const index = Number(entry.dataset['index']);
    // A finger on a closed entry scrolls or taps.
    if (!store.isOpen(day, index)) {
      const shown = store.entries(day)[index];
      if (!shown || event.pointerType === 'touch') return undefined;
      const part = common.from - shown.start < EDGE ? 'start' : shown.end - common.from < EDGE ? 'end' : 'move';
      return { ...common, part, index };
    }
    const part = closest(event, '[data-part]')?.dataset['part'];
    if (part === 'start' || part === 'end') return { ...common, part, index };
    // In the vertical layout an open entry can fill the screen. A finger on it scrolls, except on its grip.
    const isScroll = event.pointerType === 'touch' && !store.isWide.value && part !== 'move';
    return isScroll ? undefined : { ...common, part: 'move', index };
  };

  const dragged = ({ part, day, index, from }: Grip, minute: number): Drag | undefined => {
    const entries = store.entries(day);
    const constraints = store.constraints.value;
    if (index === undefined) {
      const entry = drawn(entries, from, minute, newMode(store), constraints);
      return typeof entry === 'string' ? undefined : { day, part, entry };
    }
    const entry = entries[index];
    if (!entry) return undefined;
    const [range, step] = [rangeAround(entries, index, constraints), stepOf(constraints)];
    const by = minute - from;
    if (part === 'start') return { day, index, part, entry: withStart(entry, entry.start + by, range, step) };
    if (part === 'end') return { day, index, part, entry: withEnd(entry, entry.end + by, range, step) };
    const before = joinedAt(store.plan.value, day, entry);
    if (!before) return { day, index, part, entry: movedTo(entry, entry.start + by, range, step) };
    const after = movedJoined(store.plan.value, before, by, constraints);
    const half = entry.start === 0 ? { start: 0, end: after.end } : { start: after.start, end: DAY_MINUTES };
    return { day, index, part, entry: { ...half, mode: entry.mode }, joined: { before, after } };
  };

  const isSame = (a: Drag | undefined, b: Drag | undefined): boolean => a?.entry.start === b?.entry.start && a?.entry.end === b?.entry.end;

  const letGo = (): void => {
    grip = undefined;
    store.drag.value = undefined;
  };

  on('pointerdown', (event) => {
    if (!event.isPrimary) return;
    hasDragged = false;
    grip = gripAt(event);
    // Capture on the element under the pointer, so that it still gets clicks.
    if (grip && event.target instanceof Element) event.target.setPointerCapture(event.pointerId);
  });
  on('pointermove', (event) => {
    if (grip?.pointer !== event.pointerId) return;
    if (!hasDragged && Math.hypot(event.clientX - grip.x, event.clientY - grip.y) < STILL_PX) return;
    hasDragged = true;
    if (grip.index !== undefined && !store.isOpen(grip.day, grip.index)) openEntry(store, grip.day, grip.index);
    const next = dragged(grip, minuteAt(grip.lane, event));
    if (!isSame(next, store.drag.value)) store.drag.value = next;
  });
  on('pointerup', (event) => {
    if (grip?.pointer !== event.pointerId) return;
    const done = store.drag.value;
    letGo();
    if (!done) return;
    if (done.joined) moveJoined(store, done.day, done.joined.before, done.joined.after);
    else if (done.index === undefined) add(store, done.day, done.entry);
    else replace(store, done.day, done.index, done.entry);
  });
  on('pointercancel', letGo);
  // On the document: during a drag over free time any element can have the focus.
  root.ownerDocument.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || !grip) return;
      letGo();
      event.stopImmediatePropagation();
    },
    { signal, capture: true },
  );
  const endDrag = (event: MouseEvent): void => {
    // The click that ends a drag. A click by keyboard has `detail` 0.
    if (hasDragged && event.detail > 0) event.stopPropagation();
  };
  on('click', endDrag, true);
  on('click', (event) => {
    const lane = closest(event, '[data-lane]');
    const day = dayOf(lane?.dataset['lane']);
    if (lane && day && !closest(event, '[data-index]') && !hasDragged) addAt(store, day, minuteAt(lane, event));
    hasDragged = false;
  });
};

const cellAt = (event: Event): Focus | undefined => {
  const [day, cell = ''] = closest(event, '[data-cell]')?.dataset['cell']?.split(':') ?? [];
  const known = dayOf(day);
  if (!known) return undefined;
  return { day: known, cell: cell === 'row' || cell === 'add' ? cell : Number(cell) };
};

/** Keys of the grid (ARIA grid and slider patterns), and clicks on a cell. */
export const listenToCells = (root: HTMLElement, store: EditorStore, signal: AbortSignal): void => {
  const listen = (event: KeyboardEvent): void => {
    if (event.altKey || event.defaultPrevented) return;
    const pressed = { key: event.key, ctrl: event.ctrlKey || event.metaKey };
    const handle = closest(event, '[role=slider]');
    const index = Number(closest(event, '[data-index]')?.dataset['index']);
    const day = dayOf(closest(event, '[data-lane]')?.dataset['lane']);
    const part = handle?.dataset['part'];
    const cell = cellAt(event);
    if (day && (part === 'start' || part === 'end')) {
      if (!handleKey(store, pressed, day, index, part)) return;
    } else if (!cell || !cellKey(store, pressed, cell)) return;
    event.preventDefault();
  };
  const click = (event: MouseEvent): void => {
    const cell = cellAt(event);
    if (cell) openCell(store, cell);
  };
  root.addEventListener('keydown', listen, { signal });
  root.addEventListener('click', click, { signal });
};

/** Keys anywhere in the editor: Escape closes; undo and redo, except in fields with their own undo. */
export const listenAround = (root: HTMLElement, store: EditorStore, signal: AbortSignal): void => {
  const listen = (event: KeyboardEvent): void => {
    if (event.altKey || event.defaultPrevented || store.dialog.value) return;
    const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z';
    const isField = event.target instanceof Element && event.target.matches('textarea, select, input:not([type=radio])');
    if (event.key === 'Escape' && store.open.value) store.close();
    else if (!isUndo || isField) return;
    else if (event.shiftKey) store.redo();
    else store.undo();
    event.preventDefault();
  };
  root.addEventListener('keydown', listen, { signal });
};
