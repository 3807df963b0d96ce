import { DAYS, type Day } from '../../../schedule/week.ts';
import { byStart } from '../../model/editWeek.ts';
import { anyHour } from '../../model/grid.ts';
import { placeOf } from '../../model/issues.ts';
import { lanesOf } from '../../model/lanes.ts';
import type { Row } from '../../model/plan.ts';
import { newMode, refusalText } from '../../state/entryActions.ts';
import { daysName, spokenRow } from '../../state/labels.ts';
import type { Cell } from '../../state/store.ts';
import { useStore } from '../context.ts';
import { Panel } from '../panel/Panel.tsx';
import { Axis } from './Axis.tsx';
import { EntryView, Ghost, momentStyle } from './EntryView.tsx';

/** The tab stop: the focused cell, else the header of the first row. */
const useTabStop = (day: Day): ((cell: Cell) => boolean) => {
  const store = useStore();
  const { day: at, cell: focused } = store.focus.value;
  const isHere = store.row(at)[0] === day;
  const exists = typeof focused !== 'number' || store.entries(at)[focused] !== undefined;
  return (cell) => isHere && cell === (exists ? focused : 'row');
};

const AddCell = ({ day, isTabStop }: { readonly day: Day; readonly isTabStop: boolean }) => {
  const store = useStore();
  const words = store.words.value;
  const entries = store.entries(day);
  const { maxEntries } = store.constraints.value;
  const found = anyHour(entries, newMode(store), store.constraints.value);
  const refusal = typeof found === 'string' ? found : undefined;
  const reason = refusal && refusalText(store, refusal);
  const count = maxEntries === undefined ? '' : words.full(entries.length, maxEntries);
  return (
    <div role="gridcell" class="add">
      <button type="button" data-cell={`${day}:add`} tabIndex={isTabStop ? 0 : -1} aria-disabled={refusal !== undefined} title={reason}>
        <span class="plus">{refusal === 'noRoom' ? words.noRoom : refusal === 'full' ? count : `+ ${words.add}`}</span>
        {refusal === undefined && entries.length > 0 && <span class="count">{count}</span>}
        <span class="hidden">{[spokenRow(store, day), ...(reason ? [reason] : [])].join('. ')}</span>
      </button>
    </div>
  );
};

/** The line at the current time, on the row of today. */
const NowLine = ({ row }: { readonly row: Row }) => {
  const store = useStore();
  const now = store.now.value;
  if (!now || !row.includes(now.day)) return null;
  const words = store.words.value;
  return (
    <div class="now" style={momentStyle(now.minutes, store.isWide.value)} aria-hidden="true">
      {!store.isWide.value && <span>{`${words.shortDays[now.day]} ${words.now}`}</span>}
    </div>
  );
};

/** A row of equal days: name, entries, and the add button. The open panel is below it. */
export const RowView = ({ row }: { readonly row: Row }) => {
  const store = useStore();
  const words = store.words.value;
  const day = row[0] ?? 'mon';
  const entries = store.entries(day);
  const lanes = lanesOf(entries);
  const isTabStop = useTabStop(day);
  const open = store.open.value;
  const isOpen = open !== undefined && row.includes(open.day);
  const wrong = new Set(
    store.issues.value.flatMap((issue) => {
      const place = placeOf(issue);
      return place && row.includes(place.day) ? [place.index ?? -1] : [];
    }),
  );
  const isChanged = row.some((one) => store.changed.value.includes(one));
  return (
    <>
      <div role="row" class={`row${isOpen ? ' opened' : ''}${isChanged ? ' changed' : ''}`}>
        <div role="rowheader" class="head">
          <button
            type="button"
            data-cell={`${day}:row`}
            tabIndex={isTabStop('row') ? 0 : -1}
            aria-expanded={store.isReadonly.value ? undefined : isOpen && open.kind === 'row'}
          >
            <span class="name">
              {daysName(words, row)}
              {row.length > 1 && row.length < DAYS.length && <span class="hidden"> ({spokenRow(store, day)}) </span>}
              {isChanged && <span class="dot" aria-hidden="true" />}
            </span>
            {!store.isReadonly.value && <span class="hint">{row.length > 1 ? words.rowActions : words.copy}</span>}
          </button>
        </div>
        <div class="lane" data-lane={day} style={store.isWide.value ? { '--lanes': String(lanes.count) } : {}}>
          <div class="hours" aria-hidden="true" />
          {!store.isWide.value && <Axis />}
          {entries.length === 0 && (
            <span class="empty">
              {store.isReadonly.value ? words.noEntries : store.isWide.value ? words.emptyHint : words.emptyHintTouch}
            </span>
          )}
          {byStart(entries).map((index) => (
            <EntryView key={index} day={day} index={index} lanes={lanes} isWrong={wrong.has(index)} isTabStop={isTabStop(index)} />
          ))}
          <Ghost day={day} />
          <NowLine row={row} />
        </div>
        {!store.isReadonly.value && <AddCell day={day} isTabStop={isTabStop('add')} />}
      </div>
      {isOpen && store.isWide.value && (
        <div role="row" class="panel-row">
          <div role="gridcell">
            <Panel />
          </div>
        </div>
      )}
    </>
  );
};
