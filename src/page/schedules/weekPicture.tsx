import { looksOf } from '../../editor/view/modeLook.ts';
import { readTime } from '../../schedule/time.ts';
import { byPosition, DAYS } from '../../schedule/week.ts';
import type { Schedule } from '../model/schedules.ts';
import { dayName, mode } from '../shell/format.ts';
import { words } from '../shell/words.ts';

const HEIGHT = 9;
const GAP = 3;
/** Minutes a unit of the drawing. */
const SCALE = 6;

const minutesOf = (time: string): number => readTime(time) ?? 0;

/** A small picture of a week: a bar a day, the modes in the colours of the editor. The words beside it say the same. */
export const WeekPicture = ({ schedule: { week, constraints, now } }: { readonly schedule: Schedule }) => {
  const modes = [...new Set([...(constraints.modes ?? []), ...DAYS.flatMap((day) => week[day].map((entry) => entry.mode))])];
  const looks = looksOf(modes);
  const used = modes.filter((one) => DAYS.some((day) => week[day].some((entry) => entry.mode === one)));
  return (
    <div class="week-picture">
      <svg viewBox={`-14 0 ${1440 / SCALE + 14} ${DAYS.length * (HEIGHT + GAP)}`} aria-hidden="true" focusable="false">
        {DAYS.map((day, index) => (
          <g key={day} transform={`translate(0 ${index * (HEIGHT + GAP)})`}>
            <text x="-14" y={HEIGHT - 1.5}>
              {dayName(day).slice(0, 2)}
            </text>
            <rect class="ground" width={1440 / SCALE} height={HEIGHT} rx="2" />
            {byPosition(week[day]).map((entry) => (
              <rect
                key={`${entry.position} ${entry.start}`}
                class={looks.get(entry.mode) ?? ''}
                x={minutesOf(entry.start) / SCALE}
                width={Math.max(minutesOf(entry.end) - minutesOf(entry.start), 0) / SCALE}
                height={HEIGHT}
                rx="2"
              />
            ))}
          </g>
        ))}
      </svg>
      <p class="looks">
        {used.map((one) => (
          <span key={one} aria-hidden="true">
            <i class={looks.get(one) ?? ''} />
            {mode(one)}
          </span>
        ))}
        {constraints.defaultMode !== undefined && (
          <span aria-hidden="true">
            <i class="ground" />
            {mode(constraints.defaultMode)}
          </span>
        )}
        {used.length === 0 && constraints.defaultMode === undefined && now === undefined && <span>{words.value.noEntries}</span>}
      </p>
    </div>
  );
};
