import { Fragment } from 'preact';
import type { Constraints } from '../../schedule/constraints.ts';
import { byPosition, changedDays, type Week } from '../../schedule/week.ts';
import { Bar, looksIn, ModeLooks } from '../schedules/weekPicture.tsx';
import { dayName } from '../shell/format.ts';
import { words } from './words.ts';

/** Two bars per changed day: before and after. The sentence beside it says the same. */
export const WeekBars = ({ before, after, constraints }: { before: Week; after: Week; constraints: Constraints }) => {
  const w = words.value;
  const { looks, used } = looksIn([before, after], constraints);
  const days = changedDays(before, after);
  return (
    <div class="week-picture">
      <div class="lanes both" aria-hidden="true">
        {days.map((day) => (
          <Fragment key={day}>
            <b>{dayName(day).slice(0, 2)}</b>
            <span>{w.now}</span>
            <Bar entries={byPosition(before[day])} looks={looks} />
            <span>{w.written}</span>
            <Bar entries={byPosition(after[day])} looks={looks} />
          </Fragment>
        ))}
      </div>
      <ModeLooks modes={used} looks={looks} constraints={constraints} />
    </div>
  );
};
