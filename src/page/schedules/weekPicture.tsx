import { Fragment } from 'preact';
import { type Look, looksOf } from '../../editor/view/modeLook.ts';
import type { Constraints } from '../../schedule/constraints.ts';
import { readTime } from '../../schedule/time.ts';
import { byPosition, DAYS, type Entry, type Week } from '../../schedule/week.ts';
import type { Schedule } from '../model/schedules.ts';
import { dayName, mode } from '../shell/format.ts';
import { words } from '../shell/words.ts';

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

/** A day as a bar, as wide as there is room; its units are minutes. */
export const Bar = ({ entries, looks }: { readonly entries: readonly Entry[]; readonly looks: Looks }) => (
  <svg viewBox="0 0 1440 1" preserveAspectRatio="none" aria-hidden="true">
    <rect class="ground" width="1440" height="1" />
    {entries.map((entry) => (
      <rect
        key={`${entry.position} ${entry.start}`}
        fill={colourOf(entry.mode, looks)}
        x={minutesOf(entry.start)}
        width={Math.max(minutesOf(entry.end) - minutesOf(entry.start), 0)}
        height="1"
      />
    ))}
  </svg>
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
      <div class="lanes" aria-hidden="true">
        {DAYS.map((day) => (
          <Fragment key={day}>
            <span>{dayName(day).slice(0, 2)}</span>
            <Bar entries={byPosition(week[day])} looks={looks} />
          </Fragment>
        ))}
      </div>
      <ModeLooks modes={used} looks={looks} constraints={constraints} />
      {used.length === 0 && constraints.defaultMode === undefined && now === undefined && <p class="quiet">{words.value.noEntries}</p>}
    </div>
  );
};
