import { DAYS } from '../../../schedule/week.ts';
import { isDrawable } from '../../model/editWeek.ts';
import { lanesOf } from '../../model/lanes.ts';
import { entryName } from '../../state/labels.ts';
import { useStore } from '../context.ts';
import { looksOf } from '../modeLook.ts';
import { placeStyle } from './EntryView.tsx';

/** The seven days as thin bars. A bar opens its row below. */
export const DayStrip = () => {
  const store = useStore();
  const words = store.words.value;
  const { week } = store.plan.value;
  const looks = looksOf(store.modes.value);
  const shown = store.row(store.focus.value.day);
  return (
    <div class="strip" role="group" aria-label={words.week}>
      {DAYS.map((day) => {
        const entries = week[day];
        const { lanes, count } = lanesOf(entries);
        const names = entries.length === 0 ? words.noEntries : entries.map((entry) => entryName(store, entry)).join(', ');
        return (
          <button
            key={day}
            type="button"
            class={shown.includes(day) ? 'shown' : ''}
            aria-pressed={shown.includes(day)}
            onClick={() => {
              store.open.value = undefined;
              store.focusOn({ day, cell: 'row' }, false);
            }}
          >
            <span class="name">{words.shortDays[day]}</span>
            <span class="hidden">{` – ${words.days[day]}: ${names}`}</span>
            <span class="bar" aria-hidden="true">
              {entries.map((entry, index) =>
                isDrawable(entry) ? (
                  <span
                    key={`${index} ${entry.start}`}
                    class={`piece ${looks.get(entry.mode) ?? 'teal'}`}
                    style={placeStyle(entry, false, lanes[index], count)}
                  />
                ) : null,
              )}
            </span>
          </button>
        );
      })}
    </div>
  );
};
