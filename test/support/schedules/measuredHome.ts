import type { Measured } from '../../../src/schedule/hints/facts.ts';
import { segmentsOf } from '../../../src/schedule/transitions.ts';
import type { Week } from '../../../src/schedule/week.ts';
import { addDays, instantOf, type LocalDate, localAt } from '../../../src/schedule/zone.ts';

export const MEASURED_ZONE = 'Europe/Berlin';
/** The clock is put back on the fourth day. */
export const FIRST_DAY: LocalDate = { year: 2026, month: 10, day: 22 };
const MINUTE_MS = 60_000;
export const TARGETS: Readonly<Record<string, number>> = { reduced: 18, normal: 20, comfort: 21 };

/** The instant of a minute of the day so many days after the first. */
export const measuredAt = (day: number, minute: number): number =>
  instantOf({ ...addDays(FIRST_DAY, day), hour: Math.floor(minute / 60), minute: minute % 60 }, MEASURED_ZONE);

type Point = readonly [number, number | string | null];

/** What is kept after days with this week, on which the room follows each target after so many minutes; never without a number. */
export const measuredRoom = (week: Week, lateMinutes: readonly (number | undefined)[], defaultMode = 'reduced'): Measured => {
  const asked: Point[] = [];
  const room: Point[] = [[measuredAt(0, 0), 17]];
  for (const [day, late] of lateMinutes.entries())
    for (const { start, mode = '' } of segmentsOf(week[localAt(measuredAt(day, 0), MEASURED_ZONE).weekday], defaultMode)) {
      if (asked.at(-1)?.[1] === mode) continue;
      const at = measuredAt(day, start);
      asked.push([at, mode]);
      room.push([at, 17]);
      if (late !== undefined) room.push([at + late * MINUTE_MS, TARGETS[mode] ?? 0]);
    }
  const ordered = room.toSorted(([a], [b]) => a - b);
  const targets = Object.entries(TARGETS).map(([mode, celsius]) => [mode, [[measuredAt(0, 0), celsius]]] as const);
  return { zone: MEASURED_ZONE, now: measuredAt(lateMinutes.length, 0), points: { asked, room: ordered, ...Object.fromEntries(targets) } };
};

/** What is kept after days on which something is switched on at these minutes, for so many minutes, while the week asks for it from 06:00 to 08:00. */
export const measuredState = (days: readonly (readonly (readonly [start: number, minutes: number])[])[]): Measured => {
  const runs = days.flatMap((all, day) => all.map(([start, minutes]) => [measuredAt(day, start), minutes] as const));
  const state: Point[] = runs.flatMap(([at, minutes]) => [[at, 1] as const, [at + minutes * MINUTE_MS, 0] as const]);
  const asked = days.flatMap((_, day): Point[] => [
    [measuredAt(day, 360), 'on'],
    [measuredAt(day, 480), 'off'],
  ]);
  const first = measuredAt(0, 0);
  return {
    zone: MEASURED_ZONE,
    now: measuredAt(days.length, 0),
    points: { asked: [[first, 'off'], ...asked], state: [[first, 0], ...state] },
  };
};
