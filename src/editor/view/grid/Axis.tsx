import { useStore } from '../context.ts';

const HOURS = Array.from({ length: 25 }, (_, hour) => hour);

/** The hours along the day; across all rows, or down the one that is open. */
export const Axis = () => {
  const store = useStore();
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
      </div>
    </div>
  );
};
