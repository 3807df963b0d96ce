import { type Look, looksOf } from '../../editor/view/modeLook.ts';
import type { Constraints } from '../../schedule/constraints.ts';
import { readTime } from '../../schedule/time.ts';
import { byPosition, DAYS, type Entry, type Week } from '../../schedule/week.ts';
import type { Schedule } from '../model/schedules.ts';
import { dayName, mode } from '../shell/format.ts';
import { words } from '../shell/words.ts';

const HEIGHT = 9;
const GAP = 3;
/** Minutes per unit of the drawing. */
export const SCALE = 6;

type Looks = ReadonlyMap<string, Look>;

/** Colours for small pictures and chart backgrounds. The editor uses others, because it has text on them. */
const COLOURS: Readonly<Record<Look, string>> = {
  amber: '#f0b04a',
  red: '#e2674a',
  blue: '#7db0e8',
  green: '#74bb8b',
  violet: '#a48be0',
  teal: '#5fb3b3',
};

/** The colour of a mode in these pictures. */
export const colourOf = (mode: string, looks: Looks): string => COLOURS[looks.get(mode) ?? 'teal'];

const minutesOf = (time: string): number => readTime(time) ?? 0;

/** A day as a bar in the drawing. */
export const Bar = ({ entries, looks, height }: { readonly entries: readonly Entry[]; readonly looks: Looks; readonly height: number }) => (
  <>
    <rect class="ground" width={1440 / SCALE} height={height} rx="2" />
    {entries.map((entry) => (
      <rect
        key={`${entry.position} ${entry.start}`}
        fill={colourOf(entry.mode, looks)}
        x={minutesOf(entry.start) / SCALE}
        width={Math.max(minutesOf(entry.end) - minutesOf(entry.start), 0) / SCALE}
        height={height}
        rx="2"
      />
    ))}
  </>
);

/** The look of each mode in a drawing of these weeks, and the modes used. */
export const looksIn = (weeks: readonly Week[], { modes: allowed = [] }: Constraints) => {
  const used = new Set(weeks.flatMap((week) => DAYS.flatMap((day) => week[day].map(({ mode: one }) => one))));
  const modes = [...new Set([...allowed, ...used])];
  return { looks: looksOf(modes), used: modes.filter((one) => used.has(one)) };
};

type ModeLooksProps = { readonly modes: readonly string[]; readonly looks: Looks; readonly constraints: Constraints };

/** Modes with their colours. */
export const modesShown = (modes: readonly string[], looks: Looks) =>
  modes.map((one) => (
    <span key={one}>
      <i style={{ background: colourOf(one, looks) }} />
      {mode(one)}
    </span>
  ));

/** The colour legend of a drawing. */
export const ModeLooks = ({ modes, looks, constraints: { defaultMode } }: ModeLooksProps) => (
  <p class="looks" aria-hidden="true">
    {modesShown(modes, looks)}
    {defaultMode !== undefined && (
      <span>
        <i class="ground" />
        {mode(defaultMode)}
      </span>
    )}
  </p>
);

/** A small picture of a week: one bar per day, in the editor's colours. The text beside it says the same. */
export const WeekPicture = ({ schedule: { week, constraints, now } }: { readonly schedule: Schedule }) => {
  const { looks, used } = looksIn([week], constraints);
  return (
    <div class="week-picture">
      <svg viewBox={`-14 0 ${1440 / SCALE + 14} ${DAYS.length * (HEIGHT + GAP)}`} aria-hidden="true" focusable="false">
        {DAYS.map((day, index) => (
          <g key={day} transform={`translate(0 ${index * (HEIGHT + GAP)})`}>
            <text x="-14" y={HEIGHT - 1.5}>
              {dayName(day).slice(0, 2)}
            </text>
            <Bar entries={byPosition(week[day])} looks={looks} height={HEIGHT} />
          </g>
        ))}
      </svg>
      <ModeLooks modes={used} looks={looks} constraints={constraints} />
      {used.length === 0 && constraints.defaultMode === undefined && now === undefined && <p class="quiet">{words.value.noEntries}</p>}
    </div>
  );
};
