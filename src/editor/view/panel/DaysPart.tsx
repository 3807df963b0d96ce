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
  return (
    <div class="days">
      {row.length > 1 && (
        <fieldset>
          <legend>{split}</legend>
          <div class="chips">
            {row.map((one) => (
              <button key={one} type="button" onClick={() => splitDay(store, one)}>
                {words.shortDays[one]}
                <span class="hidden"> – {words.only(words.days[one])}</span>
              </button>
            ))}
          </div>
        </fieldset>
      )}
      {others.length > 0 && (
        <fieldset>
          <legend>{words.copyDay}</legend>
          <div class="chips">
            {others.map((one) => (
              <button key={one} type="button" onClick={() => copyToDay(store, day, one)}>
                {words.shortDays[one]}
                <span class="hidden"> – {words.copyOver(words.days[one])}</span>
              </button>
            ))}
          </div>
        </fieldset>
      )}
    </div>
  );
};

/** The days that an entry is on, and what can be done with them; on a narrow screen that is folded. */
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
