import type { Json, JsonObject } from '../../http/json.ts';

// Building blocks of the built-in home's records: properties, parameters, and repeated features.

export const text = (value: string) => ({ type: 'string', value });
export const flag = (value: boolean) => ({ type: 'boolean', value });
export const list = (value: readonly Json[]) => ({ type: 'array', value });
export const number = (value: number, unit = '') => ({ type: 'number', unit, value });
export const celsius = (value: number) => number(value, 'celsius');
const energy = (value: number) => number(value, 'kilowattHour');
const energies = (value: readonly number[]) => ({ type: 'array', unit: 'kilowattHour', value });

export const parameter = (type: string, constraints: JsonObject = {}) => ({ type, required: true, constraints });
export const optional = <T extends JsonObject>(one: T) => ({ ...one, required: false });
export const range = (min: number, max: number, stepping = 1) => parameter('number', { min, max, stepping });
export const oneOf = (...words: readonly string[]) => parameter('string', { enum: words });
export const matching = (regEx: string, more: JsonObject = {}) => parameter('string', { regEx, ...more });
export const ofLength = (minLength: number, maxLength: number, more: JsonObject = {}) =>
  parameter('string', { minLength, maxLength, ...more });

/** A read-only feature with one value. */
export const shows = (value: JsonObject) => ({ properties: { value } });

export const sensor = (value: JsonObject) => ({ properties: { status: text('connected'), value } });
export const status = (word: string) => ({ properties: { status: text(word) } });
export const NO_SENSOR = status('notConnected');

export const modes = (mode: string, ...words: readonly string[]) => ({
  properties: { value: text(mode) },
  commands: { setMode: { params: { mode: oneOf(...words) } } },
});

/** A command that sets the temperature of a program. */
export const setTemperature = (least: number, most: number, stepping = 1) => ({
  params: { targetTemperature: range(least, most, stepping) },
});

/** Energy of the last days, weeks, months and years, newest first. */
export const energyBars = (day: readonly number[], week: readonly number[], month: readonly number[], year: readonly number[]) => {
  const readAt = text('2026-11-20T23:05:00.000Z');
  const bars = { day: energies(day), week: energies(week), month: energies(month), year: energies(year) };
  return { properties: { ...bars, dayValueReadAt: readAt, weekValueReadAt: readAt, monthValueReadAt: readAt, yearValueReadAt: readAt } };
};

export const energySummary = (day: number, sevenDays: number, month: number, lastMonth: number, year: number, lastYear: number) => ({
  properties: {
    currentDay: energy(day),
    lastSevenDays: energy(sevenDays),
    currentMonth: energy(month),
    lastMonth: energy(lastMonth),
    currentYear: energy(year),
    lastYear: energy(lastYear),
  },
});

/** Entries such as `06:00 22:00 normal`, followed by the position if it is not the list index. */
const entries = (day: readonly string[]) =>
  day.map((entry, index) => {
    const [start = '', end = '', mode = '', position = String(index)] = entry.split(' ');
    return { start, end, mode, position: Number(position) };
  });

type ScheduleRules = {
  readonly maxEntries: number;
  readonly modes: readonly string[];
  readonly defaultMode: string;
  readonly overlapAllowed: boolean;
  /** False if no command resets the week to the factory default. */
  readonly canReset?: boolean;
};

/** A week from `[workdays, Saturday, Sunday]`; missing ones equal the one before. */
export const schedule = (
  active: boolean,
  [workday, saturday = workday, sunday = saturday]: readonly [readonly string[], (readonly string[])?, (readonly string[])?],
  { maxEntries, modes: words, defaultMode, overlapAllowed, canReset = true }: ScheduleRules,
) => {
  const [mon, tue, wed, thu, fri] = [workday, workday, workday, workday, workday].map(entries);
  const constraints = { maxEntries, resolution: 10, modes: words, defaultMode, overlapAllowed };
  const setSchedule = { description: 'Sets the weekly schedule', params: { newSchedule: parameter('Schedule', constraints) } };
  return {
    properties: {
      active: flag(active),
      entries: { type: 'Schedule', value: { mon, tue, wed, thu, fri, sat: entries(saturday), sun: entries(sunday) } },
    },
    commands: canReset ? { setSchedule, resetSchedule: { description: 'Puts the schedule of the factory back' } } : { setSchedule },
  };
};

/** The limits for the schedules of the rooms and the first circuit. */
export const SIMPLE_SCHEDULE = { maxEntries: 4, modes: ['normal', 'comfort'], defaultMode: 'reduced', overlapAllowed: false };
