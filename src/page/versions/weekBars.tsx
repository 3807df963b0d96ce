import type { Constraints } from '../../schedule/constraints.ts';
import { byPosition, changedDays, type Week } from '../../schedule/week.ts';
import { Bar, looksIn, ModeLooks, SCALE } from '../schedules/weekPicture.tsx';
import { dayName } from '../shell/format.ts';
import { words } from './words.ts';

const HEIGHT = 7;
const DAY_HEIGHT = 2 * HEIGHT + 5;

/** Two bars per changed day: before and after. The sentence beside it says the same. */
export const WeekBars = ({ before, after, constraints }: { before: Week; after: Week; constraints: Constraints }) => {
  const w = words.value;
  const { looks, used } = looksIn([before, after], constraints);
  const days = changedDays(before, after);
  return (
    <div class="week-picture pairs">
      <svg viewBox={`-34 0 ${1440 / SCALE + 34} ${days.length * DAY_HEIGHT}`} aria-hidden="true" focusable="false">
        {days.map((day, index) => (
          <g key={day} transform={`translate(0 ${index * DAY_HEIGHT})`}>
            <text x="-34" y={HEIGHT - 1}>
              {dayName(day).slice(0, 2)}
            </text>
            {([w.now, w.written] as const).map((label, row) => (
              <g key={label} transform={`translate(0 ${row * (HEIGHT + 1)})`}>
                <text x="-21" y={HEIGHT - 1}>
                  {label}
                </text>
                <Bar entries={byPosition((row === 0 ? before : after)[day])} looks={looks} height={HEIGHT} />
              </g>
            ))}
          </g>
        ))}
      </svg>
      <ModeLooks modes={used} looks={looks} constraints={constraints} />
    </div>
  );
};
