import type { CSSProperties } from 'preact';
import { DAY_MINUTES, printTime } from '../../../schedule/time.ts';
import type { Day } from '../../../schedule/week.ts';
import { type EditEntry, isDrawable } from '../../model/editWeek.ts';
import { isCovered, type Lanes } from '../../model/lanes.ts';
import { joinedAt } from '../../model/midnight.ts';
import { reachOf } from '../../state/keys.ts';
import { shortTimesOf, spokenRow, timesOf } from '../../state/labels.ts';
import type { EditorStore } from '../../state/store.ts';
import { useStore } from '../context.ts';
import { looksOf } from '../modeLook.ts';

const percent = (share: number): string => `${(share * 100).toFixed(4)}%`;

/** The position of a time along the day. */
export const momentStyle = (minutes: number, isWide: boolean): CSSProperties => ({
  [isWide ? 'left' : 'top']: percent(minutes / DAY_MINUTES),
});

/** The position of an entry: along the day by its times, across it by its lane. */
export const placeStyle = (entry: EditEntry, isWide: boolean, lane = 0, lanes = 1): CSSProperties => {
  const [from, length] = [percent(entry.start / DAY_MINUTES), percent(Math.max(0, entry.end - entry.start) / DAY_MINUTES)];
  const [side, size] = [percent((isWide ? lanes - 1 - lane : lane) / lanes), percent(1 / lanes)];
  return isWide ? { left: from, width: length, top: side, height: size } : { top: from, height: length, left: side, width: size };
};

/** The entry as drawn; during a drag, at the drag position. */
export const shownEntry = (store: EditorStore, day: Day, index: number): EditEntry | undefined => {
  const drag = store.drag.value;
  return drag?.index === index && store.row(drag.day) === store.row(day) ? drag.entry : store.entries(day)[index];
};

type HandleProps = { readonly day: Day; readonly index: number; readonly part: 'start' | 'end'; readonly entry: EditEntry };

const Handle = ({ day, index, part, entry }: HandleProps) => {
  const store = useStore();
  const { min, max } = reachOf(store, day, index, part);
  return (
    <span
      class={`handle ${part}`}
      role="slider"
      tabIndex={0}
      data-part={part}
      aria-label={store.words.value[part]}
      aria-orientation={store.isWide.value ? 'horizontal' : 'vertical'}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={entry[part]}
      aria-valuetext={printTime(entry[part])}
    />
  );
};

type EntryProps = {
  readonly day: Day;
  readonly index: number;
  readonly lanes: Lanes;
  readonly isWrong: boolean;
  readonly isTabStop: boolean;
};

/** One entry: a button that opens it. An open entry has handles. */
export const EntryView = ({ day, index, lanes, isWrong, isTabStop }: EntryProps) => {
  const store = useStore();
  const words = store.words.value;
  const isOpen = store.isOpen(day, index);
  // Only the open entry can be dragged, so only it follows the drag.
  const entry = isOpen ? shownEntry(store, day, index) : store.entries(day)[index];
  if (!entry) return null;
  const drag = isOpen ? store.drag.value : undefined;
  const covered = isCovered(store.entries(day), index);
  const joined = joinedAt(store.plan.value, day, store.entries(day)[index] ?? entry);
  const look = looksOf(store.modes.value).get(entry.mode) ?? 'teal';
  const classes = [
    'entry',
    look,
    ...(isOpen ? ['open'] : []),
    ...(isWrong ? ['wrong'] : []),
    ...(covered ? ['covered'] : []),
    ...(drag ? ['dragged'] : []),
    ...(isDrawable(entry) ? [] : ['odd']),
    ...(joined ? [entry.start === 0 ? 'comes-from' : 'goes-on'] : []),
  ];
  const marks = [...(covered ? [words.covered] : []), ...(isWrong ? [words.wrong] : [])];
  const more = ['', spokenRow(store, day), ...marks].join(', ');
  return (
    <div
      role="gridcell"
      class={classes.join(' ')}
      data-index={index}
      data-times={timesOf(entry)}
      style={placeStyle(entry, store.isWide.value, lanes.lanes[index], lanes.count)}
    >
      <button
        type="button"
        class="face"
        data-short={shortTimesOf(entry)}
        data-cell={`${day}:${index}`}
        tabIndex={isTabStop ? 0 : -1}
        aria-expanded={store.isReadonly.value ? undefined : isOpen}
      >
        <span class="times">{timesOf(entry)} </span>
        <span class="mode">{store.modeName(entry.mode)}</span>
        <span class="hidden">{more}</span>
      </button>
      {isOpen && (
        <>
          <Handle day={day} index={index} part="start" entry={entry} />
          <Handle day={day} index={index} part="end" entry={entry} />
          {!store.isWide.value && <span class="grip" data-part="move" aria-hidden="true" />}
          {drag && (
            <span class={`bubble ${drag.part}`} aria-hidden="true">
              {timesOf(entry)}
            </span>
          )}
        </>
      )}
    </div>
  );
};

/** The new entry during a drag over free time. */
export const Ghost = ({ day }: { readonly day: Day }) => {
  const store = useStore();
  const drag = store.drag.value;
  if (!drag || drag.index !== undefined || store.row(drag.day) !== store.row(day)) return null;
  const look = looksOf(store.modes.value).get(drag.entry.mode) ?? 'teal';
  return (
    <div class={`entry ghost ${look}`} style={placeStyle(drag.entry, store.isWide.value)} aria-hidden="true">
      <span class="face">
        <span class="mode">{store.modeName(drag.entry.mode)}</span>
      </span>
      <span class="bubble new">{timesOf(drag.entry)}</span>
    </div>
  );
};
