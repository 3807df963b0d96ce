import { DAY_MINUTES, printTime } from '../../../schedule/time.ts';
import { useStore } from '../context.ts';

const HOURS = Array.from({ length: 25 }, (_, hour) => hour);

/** The hours along the day; across all rows, or down the one that is open. */
export const Axis = () => {
  const store = useStore();
  const now = store.now.value;
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
        {now && store.isWide.value && (
          <span class="now-label" style={{ left: `${((now.minutes / DAY_MINUTES) * 100).toFixed(3)}%` }}>
            {`${store.words.value.shortDays[now.day]} ${printTime(now.minutes)}`}
          </span>
        )}
      </div>
    </div>
  );
};
