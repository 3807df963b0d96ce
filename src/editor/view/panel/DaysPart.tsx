import { DAYS, type Day } from '../../../schedule/week.ts';
import { copyToDay, splitDay } from '../../state/dayActions.ts';
import { daysName } from '../../state/labels.ts';
import { useStore } from '../context.ts';

/** Takes one day out of a row, and copies the row to other days. */
export const DaysPart = ({ day, split }: { readonly day: Day; readonly split: string }) => {
  const store = useStore();
  const words = store.words.value;
  const row = store.row(day);
  const others = DAYS.filter((one) => !row.includes(one));
  const chips = (legend: string, days: readonly Day[], say: (name: string) => string, pick: (one: Day) => void) =>
    days.length > 0 && (
      <fieldset>
        <legend>{legend}</legend>
        <div class="chips">
          {days.map((one) => (
            <button key={one} type="button" onClick={() => pick(one)}>
              {words.shortDays[one]}
              <span class="hidden"> – {say(words.days[one])}</span>
            </button>
          ))}
        </div>
      </fieldset>
    );
  return (
    <div class="days">
      {chips(split, row.length > 1 ? row : [], words.only, (one) => splitDay(store, one))}
      {chips(words.copyDay, others, words.copyOver, (one) => copyToDay(store, day, one))}
    </div>
  );
};

/** The days of an entry and the actions on them; collapsed on a narrow screen. */
export const Applies = ({ day }: { readonly day: Day }) => {
  const store = useStore();
  const words = store.words.value;
  const days = store.row(day);
  const name = days.length === DAYS.length ? words.appliesToAll : words.appliesTo(daysName(words, days));
  if (!store.isWide.value) {
    return (
      <details class="applies-to">
        <summary>{`${name} – ${words.changeDays}`}</summary>
        <DaysPart day={day} split={words.change} />
      </details>
    );
  }
  return (
    <div class="below">
      <p class="applies">{name}</p>
      <DaysPart day={day} split={words.change} />
    </div>
  );
};
