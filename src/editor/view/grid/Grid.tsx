import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { DAYS } from '../../../schedule/week.ts';
import { openCell } from '../../state/keys.ts';
import { useStore } from '../context.ts';
import { listenToKeys, listenToPointer } from '../listeners.ts';
import { RowView } from './RowView.tsx';

const HOURS = Array.from({ length: 25 }, (_, hour) => hour);

/** The hours along the day; across all rows, or down the one that is open. */
const Axis = () => {
  const store = useStore();
  const every = store.isWide.value ? 3 : 1;
  return (
    <div class="axis" aria-hidden="true">
      <div class="scale">
        {HOURS.filter((hour) => hour % every === 0).map((hour) => {
          const at = `${((hour / 24) * 100).toFixed(3)}%`;
          return (
            <span key={hour} style={store.isWide.value ? { left: at } : { top: at }}>
              {String(hour).padStart(2, '0')}
              <span class="zeros">:00</span>
            </span>
          );
        })}
      </div>
    </div>
  );
};

/** The rows of the week as a grid with one tab stop. On a narrow screen only the row of the focus is drawn, upright. */
export const Grid = () => {
  const store = useStore();
  const root = useRef<HTMLDivElement>(null);
  const words = store.words.value;
  useEffect(() => {
    const { current } = root;
    if (!current) return;
    const ends = [listenToPointer(current, store), listenToKeys(current, store)];
    const click = (event: MouseEvent): void => {
      const cell = event.target instanceof Element ? event.target.closest('[data-cell]') : null;
      const [day, at = ''] = cell instanceof HTMLElement ? (cell.dataset['cell']?.split(':') ?? []) : [];
      const known = DAYS.find((one) => one === day);
      if (known) openCell(store, { day: known, cell: at === 'row' || at === 'add' ? at : Number(at) });
    };
    current.addEventListener('click', click);
    return () => {
      current.removeEventListener('click', click);
      for (const end of ends) end();
    };
  }, [store]);
  const { day, cell } = store.focus.value;
  const requests = store.focusRequests.value;
  useLayoutEffect(() => {
    if (requests === 0) return;
    const target = root.current?.querySelector(`[data-cell="${store.row(day)[0] ?? day}:${cell}"]`);
    if (!(target instanceof HTMLElement)) return;
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [requests]);
  const rows = store.plan.value.rows;
  const shown = store.isWide.value ? rows : rows.filter((row) => row.includes(day));
  return (
    <div ref={root} role="grid" class="grid" aria-label={words.week} aria-describedby="grid-help">
      <Axis />
      {shown.map((row) => (
        <RowView key={row[0]} row={row} />
      ))}
    </div>
  );
};
