import { printTime } from '../../../schedule/time.ts';
import { useStore } from '../context.ts';
import { momentStyle } from './EntryView.tsx';

const HOURS = Array.from({ length: 25 }, (_, hour) => hour);

/** The hour axis: horizontal across all rows, or vertical along the open row. */
export const Axis = () => {
  const store = useStore();
  const now = store.now.value;
  const isWide = store.isWide.value;
  const every = isWide ? 3 : 1;
  return (
    <div class="axis" aria-hidden="true">
      <div class="scale">
        {HOURS.filter((hour) => hour % every === 0).map((hour) => (
          <span key={hour} style={momentStyle(60 * hour, isWide)}>
            {printTime(60 * hour)}
          </span>
        ))}
        {now && isWide && (
          <span class="now-label" style={momentStyle(now.minutes, isWide)}>
            {`${store.words.value.shortDays[now.day]} ${printTime(now.minutes)}`}
          </span>
        )}
      </div>
    </div>
  );
};
