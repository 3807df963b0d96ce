import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useStore } from '../context.ts';
import { listenToCells, listenToPointer } from '../listeners.ts';
import { Axis } from './Axis.tsx';
import { RowView } from './RowView.tsx';

/** The week as a grid with one tab stop. Narrow screens show only the focused row, vertically. */
export const Grid = () => {
  const store = useStore();
  const root = useRef<HTMLDivElement>(null);
  const words = store.words.value;
  useEffect(() => {
    const { current } = root;
    if (!current) return;
    const end = new AbortController();
    listenToPointer(current, store, end.signal);
    listenToCells(current, store, end.signal);
    return () => end.abort();
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
      {store.isWide.value && <Axis />}
      {shown.map((row) => (
        <RowView key={row[0]} row={row} />
      ))}
    </div>
  );
};
