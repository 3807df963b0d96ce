import { isRecord, type Json } from '../../shared/json.ts';
import { shownWeek } from '../shown/shownWeek.ts';
import { readTime } from '../time.ts';
import type { Mode } from '../transitions.ts';
import { DAYS, type Day, type Week } from '../week.ts';

/** The value that a device shows for a property of a feature, if any. */
export type ValueAt = (feature: string, property: string) => Json | undefined;

/** A schedule, and the present local date (`2026-11-27`). */
export type HintSchedule = {
  readonly feature: string;
  readonly week: Week;
  readonly defaultMode?: Mode | undefined;
  readonly today?: string | undefined;
  /** The grid of its times, in minutes. */
  readonly resolution?: number | undefined;
  readonly measured?: Measured | undefined;
};

/** Values over time with their begin (epoch ms), oldest first; null: no value, 1 and 0: on and off. */
export type Points = readonly (readonly [at: number, value: number | string | null])[];

/** Measured values until `now` (epoch ms), by the keys of `measuredPlaces`. */
export type Measured = {
  readonly zone: string | undefined;
  readonly now: number;
  readonly points: Readonly<Record<string, Points>>;
};

/** A property whose values over time are checked. */
export type MeasuredPlace = { readonly feature: string; readonly property: string };

export type Holiday = { readonly start: string; readonly end: string; readonly isActive: boolean };

/** The input of the checks: a week, and what else its device shows. */
export type WeekFacts = Omit<HintSchedule, 'feature'> & {
  readonly kind: 'heating' | 'water' | 'circulation' | 'other';
  readonly today: string;
  readonly resolution: number;
  readonly isActive: boolean;
  /** The operating mode of the circuit or the hot water, or `summerEco`. */
  readonly mode: string | undefined;
  /** The week of the hot water. */
  readonly water: Week | undefined;
  /** The weeks of the circuits that belong to the hot water. */
  readonly heating: readonly Week[];
  /** °C by mode, of the circuit. */
  readonly temperatures: ReadonlyMap<string, number>;
  readonly holidays: readonly Holiday[];
  readonly hasCompressor: boolean;
  readonly hasCylinder: boolean;
  readonly isChargedOnce: boolean;
  readonly waterTarget: number | undefined;
  readonly hygiene: { readonly isOn: boolean; readonly runs: readonly { readonly day: Day; readonly minutes: number }[] } | undefined;
};

const CIRCUITS = [0, 1, 2, 3].map((number) => `heating.circuits.${number}`);
const MODES = ['reduced', 'normal', 'comfort'] as const;
const DHW = 'heating.dhw';
// The grid of every schedule seen so far.
const RESOLUTION_MINUTES = 10;
// Devices without a planned holiday store an earlier date.
const FIRST_HOLIDAY = '2001';

/** The facts of a schedule for the checks. It reads the same places whatever they show. */
export const weekFacts = (schedule: HintSchedule, at: ValueAt): WeekFacts => {
  const { feature, week, defaultMode, today = '', resolution = RESOLUTION_MINUTES, measured } = schedule;
  const circuit = /^heating\.circuits\.\d+/u.exec(feature)?.[0];
  const weekAt = (name: string): Week | undefined => {
    const value = at(name, 'entries');
    return isRecord(value) && Object.keys(value).length > 0 ? shownWeek(value) : undefined;
  };
  const scope = circuit ?? DHW;
  const isTrue = (name: string): boolean => at(name, 'active') === true;
  const kind = kindOf(feature);
  const water = [`${DHW}.schedule`, ...(circuit === undefined ? [] : [`${circuit}.dhw.schedule`])].map(weekAt);
  const heating = (circuit === undefined ? CIRCUITS : [circuit]).map((name) => weekAt(`${name}.heating.schedule`));
  const temperatures = MODES.flatMap((mode) => {
    const celsius = numberOf(at(programOf(feature, mode, at), 'temperature'));
    return celsius === undefined ? [] : [[mode, celsius] as const];
  });
  const isSaving = [
    isTrue(`${scope}.operating.programs.summerEco`),
    ...MODES.map((mode) => {
      const name = `${scope}.operating.programs.${mode}EnergySaving`;
      return [isTrue(name), at(name, 'reason') === 'summerEco'].every(Boolean);
    }),
  ].some(Boolean);
  const mode = at(`${kind === 'heating' ? scope : DHW}.operating.modes.active`, 'value');
  const sensors = ['hotWaterStorage', 'dhwCylinder'].flatMap((name) => [name, `${name}.top`]);
  const cylinder = sensors.map((name) => numberOf(at(`${DHW}.sensors.temperature.${name}`, 'value')));
  const compressors = at('heating.compressors', 'enabled');
  return {
    ...{ kind, week, defaultMode, today, resolution, measured },
    isActive: at(feature, 'active') !== false,
    mode: isSaving && kind === 'heating' ? 'summerEco' : typeof mode === 'string' ? mode : undefined,
    water: kind === 'water' ? week : water.findLast((one) => one !== undefined),
    heating: heating.filter((one) => one !== undefined),
    temperatures: new Map(temperatures),
    holidays: ['heating', ...(circuit === undefined ? [] : [circuit])].flatMap((scope) =>
      ['holiday', 'holidayAtHome'].flatMap((word) => holidayAt(`${scope}.operating.programs.${word}`, at)),
    ),
    hasCompressor: [Array.isArray(compressors) && compressors.length > 0, at('heating.compressors.0', 'active') !== undefined].some(
      Boolean,
    ),
    hasCylinder: cylinder.some((celsius) => celsius !== undefined),
    isChargedOnce: isTrue(`${DHW}.oneTimeCharge`),
    waterTarget: numberOf(at(`${DHW}.temperature.main`, 'value')),
    hygiene: hygieneAt(at),
  };
};

/**
 * The places of values over time for the checks: the mode that the week `asked` for, the temperature of its
 * `room` with the target of each mode, or the `state` of what the week switches.
 */
export const measuredPlaces = (feature: string, at: ValueAt): Readonly<Record<string, MeasuredPlace>> => {
  const parent = feature.replace(/\.schedule$/u, '');
  const asked = { feature, property: 'now' };
  if (kindOf(feature) === 'circulation') return { asked, state: { feature: parent, property: 'status' } };
  if (kindOf(feature) === 'water') return { asked, state: { feature: `${parent}.charging`, property: 'active' } };
  const sensors = ['temperature.room', 'temperature'].map((name) => `${scopeOf(feature)}.sensors.${name}`);
  const room = sensors.find((name) => numberOf(at(name, 'value')) !== undefined);
  if (room === undefined || feature.endsWith('.cooling.schedule')) return {};
  const targets = MODES.map((mode) => [mode, { feature: programOf(feature, mode, at), property: 'temperature' }] as const);
  return { asked, room: { feature: room, property: 'value' }, ...Object.fromEntries(targets) };
};

const numberOf = (value: Json | undefined): number | undefined => (typeof value === 'number' ? value : undefined);

/** The circuit or the room of a schedule, else the hot water. */
const scopeOf = (feature: string): string => /^(?:heating\.circuits|rooms)\.\d+/u.exec(feature)?.[0] ?? DHW;

/** The program that holds the target of a mode. */
const programOf = (feature: string, mode: string, at: ValueAt): string => {
  const names = [mode, `${mode}Heating`].map((word) => `${scopeOf(feature)}.operating.programs.${word}`);
  return names.find((name) => numberOf(at(name, 'temperature')) !== undefined) ?? `${names[0]}`;
};

const kindOf = (feature: string): WeekFacts['kind'] => {
  if (feature.endsWith('circulation.schedule')) return 'circulation';
  if (feature.endsWith('dhw.schedule')) return 'water';
  return /^heating\.circuits\.\d+\.heating\.schedule$/u.test(feature) ? 'heating' : 'other';
};

const holidayAt = (name: string, at: ValueAt): readonly Holiday[] => {
  const [start, end, active] = ['start', 'end', 'active'].map((property) => at(name, property));
  if (typeof start !== 'string' || typeof end !== 'string' || end < FIRST_HOLIDAY) return [];
  return [{ start: start.slice(0, 10), end: end.slice(0, 10), isActive: active === true }];
};

/** Whether and when the heating disinfects the hot water (against legionella) by itself. */
export const hygieneAt = (at: ValueAt): WeekFacts['hygiene'] => {
  const isOn = at(`${DHW}.hygiene`, 'enabled');
  const [weekdays, hour, minute] = ['weekdays', 'startHour', 'startMinute'].map((name) => at(`${DHW}.hygiene.trigger`, name));
  const minutes = readTime(`${hour}:${String(minute).padStart(2, '0')}`);
  if (typeof isOn !== 'boolean') return undefined;
  const days = Array.isArray(weekdays)
    ? weekdays.flatMap((word) => DAYS.find((day) => typeof word === 'string' && word.toLowerCase().startsWith(day)) ?? [])
    : [];
  return { isOn, runs: minutes === undefined ? [] : days.map((day) => ({ day, minutes })) };
};
