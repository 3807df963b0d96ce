import { DAY_MINUTES, printTime } from '../../../schedule/time.ts';
import type { Day } from '../../../schedule/week.ts';
import { rangeAround, stepOf } from '../../model/grid.ts';
import { fixesOf, issuesOn } from '../../model/issues.ts';
import { isCovered } from '../../model/lanes.ts';
import { mend } from '../../state/dayActions.ts';
import { bringToFront, remove, setMode, setTime, splitAtMidnight } from '../../state/entryActions.ts';
import { reachOf } from '../../state/keys.ts';
import { Button } from '../Button.tsx';
import { useStore } from '../context.ts';
import { shownEntry } from '../grid/EntryView.tsx';
import { looksOf } from '../modeLook.ts';
import { Applies } from './DaysPart.tsx';
import { IssueList } from './IssueList.tsx';
import { TimeField } from './TimeField.tsx';

type Props = { readonly day: Day; readonly index: number };

const ModeField = ({ day, index, mode }: Props & { readonly mode: string }) => {
  const store = useStore();
  const modes = store.modes.value;
  const looks = looksOf(modes);
  const choices = modes.includes(mode) ? modes : [mode, ...modes];
  return (
    <fieldset class="field modes">
      <legend>{store.words.value.mode}</legend>
      <div class="choices">
        {choices.map((one) => (
          <label key={one} class={one === mode ? 'chosen' : ''}>
            <input type="radio" name="mode" value={one} checked={one === mode} onChange={() => setMode(store, day, index, one)} />
            <span class={`swatch ${looks.get(one) ?? 'teal'}`} aria-hidden="true" />
            {store.modeName(one)}
          </label>
        ))}
      </div>
    </fieldset>
  );
};

/** An end on the next day: shows the two resulting entries. */
const Midnight = ({ day, index }: Props) => {
  const store = useStore();
  const words = store.words.value;
  const { midnight } = store;
  const entry = store.entries(day)[index];
  if (midnight.value === undefined || !entry) return null;
  return (
    <fieldset class="offer">
      <p>{words.midnight(`${printTime(entry.start)}–24:00`, `00:00–${printTime(midnight.value)}`)}</p>
      <Button text={words.midnightYes} class="primary" onClick={() => splitAtMidnight(store, day, index)} />
      <Button
        text={words.cancel}
        onClick={() => {
          midnight.value = undefined;
          store.focusOn(store.focus.value);
        }}
      />
    </fieldset>
  );
};

/** The fields of the open entry: editing without dragging. */
export const EntryPanel = ({ day, index }: Props) => {
  const store = useStore();
  const words = store.words.value;
  const entry = shownEntry(store, day, index);
  if (!entry) return null;
  const entries = store.entries(day);
  const constraints = store.constraints.value;
  const [range, step] = [rangeAround(entries, index, constraints), stepOf(constraints)];
  const end = reachOf(store, day, index, 'end');
  const issues = issuesOn(store.issues.value, store.row(day), index);
  const describedBy = issues.length > 0 ? 'panel-issues' : undefined;
  const overlaps = isCovered(entries, index);
  return (
    <>
      <div class="fields">
        <TimeField
          id="from"
          label={words.from}
          value={entry.start}
          min={Math.min(entry.start, range.from)}
          max={Math.max(entry.start, range.to - step)}
          step={step}
          onPick={(minutes) => setTime(store, day, index, 'start', minutes)}
          describedBy={describedBy}
        />
        <TimeField
          id="to"
          label={words.until}
          value={store.midnight.value === undefined ? entry.end : store.midnight.value + DAY_MINUTES}
          min={end.min}
          max={end.max}
          step={step}
          nextDay={end.max === DAY_MINUTES && entry.start > 0 ? Math.min(entry.start, DAY_MINUTES / 2) : 0}
          onPick={(minutes) => {
            store.midnight.value = minutes > DAY_MINUTES ? minutes - DAY_MINUTES : undefined;
            if (minutes <= DAY_MINUTES) setTime(store, day, index, 'end', minutes);
          }}
          describedBy={describedBy}
        />
        <ModeField day={day} index={index} mode={entry.mode} />
      </div>
      <Midnight day={day} index={index} />
      {issues.length > 0 && (
        <IssueList id="panel-issues" issues={issues} fixes={fixesOf} onFix={(issue, value) => mend(store, issue, value)} />
      )}
      <Applies day={day} />
      <div class="actions">
        {overlaps && <Button text={words.bringToFront} title={words.frontHint} onClick={() => bringToFront(store, day, index)} />}
        <Button text={words.delete} class="danger" onClick={() => remove(store, day, index)} />
        <Button text={words.done} class="primary quiet" onClick={() => store.close()} />
      </div>
    </>
  );
};
