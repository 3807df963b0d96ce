import { useState } from 'preact/hooks';
import { type UsualEnds, usualEnds } from '../../../schedule/usualEnds.ts';
import { type Difference, differences } from '../../../schedule/versions/dayDifferences.ts';
import type { Entry } from '../../../schedule/week.ts';
import { daysName } from '../../state/labels.ts';
import { save } from '../../state/saving.ts';
import type { End } from '../../types.ts';
import { Button } from '../Button.tsx';
import { useStore } from '../context.ts';
import { Modal } from './Modal.tsx';

type Choice = 'forever' | 'for' | 'next' | 'midnight' | 'sunday' | 'date';

const HOURS = [1, 2, 3, 4, 6, 8, 12] as const;
const DAY_COUNTS = [1, 2, 3, 5, 7, 14] as const;

/** One changed day, or several days with the same change: removed, added and kept entries. */
const Change = ({ difference }: { readonly difference: Difference }) => {
  const store = useStore();
  const words = store.words.value;
  const { days, removed, added, kept, reordered } = difference;
  const line = (entry: Entry, kind: 'removed' | 'added' | 'kept') => (
    <li key={`${kind} ${entry.start} ${entry.end} ${entry.mode}`} class={kind}>
      <span class="sign" aria-hidden="true">
        {{ removed: '−', added: '+', kept: '' }[kind]}
      </span>
      <span class="what">{words.entry(`${entry.start}–${entry.end}`, store.modeName(entry.mode))}</span>
      <span class="why">{words[kind]}</span>
    </li>
  );
  return (
    <section>
      <h3>{daysName(words, days)}</h3>
      <ul class="difference">
        {removed.map((entry) => line(entry, 'removed'))}
        {added.map((entry) => line(entry, 'added'))}
        {reordered ? <li>{words.reordered}</li> : kept.map((entry) => line(entry, 'kept'))}
      </ul>
    </section>
  );
};

const endOf = (choice: Choice, length: string, date: string, { midnight, sunday }: UsualEnds): End | undefined => {
  switch (choice) {
    case 'forever':
      return {};
    case 'for':
      return { for: length };
    case 'next':
      return { until: 'next' };
    case 'midnight':
      return { until: midnight };
    case 'sunday':
      return { until: sunday ?? midnight };
    default:
      return date === '' ? undefined : { until: date.replace('T', ' ') };
  }
};

/** What a save changes, for how long, and the save button. */
export const SaveDialog = () => {
  const store = useStore();
  const words = store.words.value;
  const now = store.now.value;
  const calls = store.callsLeft.value;
  const [choice, setChoice] = useState<Choice>('forever');
  const [length, setLength] = useState('2h');
  const [date, setDate] = useState('');
  const [isAsked, setAsked] = useState(false);
  const ends: UsualEnds = now ? usualEnds(now) : { midnight: '00:00' };
  const end = endOf(choice, length, date, ends);
  const radio = (value: Choice, label: string) => (
    <label>
      <input type="radio" name="end" value={value} checked={choice === value} onChange={() => setChoice(value)} />
      {label}
    </label>
  );
  const option = (value: string, label: string) => (
    <option key={value} value={value}>
      {label}
    </option>
  );
  return (
    <Modal title={words.saveTitle}>
      <div class="changes">
        {differences(store.base.value, store.week.value).map((difference) => (
          <Change key={difference.days[0]} difference={difference} />
        ))}
      </div>
      <fieldset class="ends">
        <legend>{words.howLong}</legend>
        {radio('forever', words.forever)}
        <div class="with">
          {radio('for', words.forHours)}
          <select
            aria-label={words.howLong}
            value={length}
            onChange={({ currentTarget }) => {
              setLength(currentTarget.value);
              setChoice('for');
            }}
          >
            {HOURS.map((count) => option(`${count}h`, words.hours(count)))}
            {DAY_COUNTS.map((count) => option(`${count}d`, words.daysCount(count)))}
          </select>
        </div>
        {radio('next', words.untilNext)}
        {radio('midnight', words.untilMidnight)}
        {ends.sunday !== undefined && radio('sunday', words.untilSunday)}
        <div class="with">
          {radio('date', words.untilDate)}
          <input
            type="datetime-local"
            aria-label={words.untilDate}
            value={date}
            min={now?.date && `${now.date}T00:00`}
            onInput={({ currentTarget }) => {
              setDate(currentTarget.value);
              setChoice('date');
            }}
          />
        </div>
        <p class="note">{choice === 'forever' ? '\u00a0' : choice === 'next' ? words.nextBack : words.thenBack}</p>
      </fieldset>
      {isAsked && !end && (
        <p class="bad" role="alert">
          {words.dateMissing}
        </p>
      )}
      <div class="actions">
        <span class="note">{words.oneCall(calls?.toLocaleString(store.language.value))}</span>
        <Button text={words.back} onClick={() => store.show()} />
        <Button text={words.saveNow} class="primary" onClick={() => (end ? save(store, end) : setAsked(true))} />
      </div>
    </Modal>
  );
};
