import { type Issue, pointer } from '../shared/issue.ts';
import { checkArguments } from './command.ts';
import { isDateParameter } from './dateRules.ts';
import type { Command, Feature, Json, Parameter } from './feature.ts';
import { dayAfter } from './performance/calendar.ts';

type Arguments = Readonly<Record<string, Json>>;

/** An end as a command can take it: minutes from now, and the day that begins with it, if any (local time, `YYYY-MM-DD`). */
export type EndToFill = { readonly minutes: number; readonly day: string | undefined; readonly nextDay: string };

/** The result: a parameter holds the end, the command needs an end but takes only another one, or the command has no parameter for it. */
export type Filled =
  | { readonly kind: 'filled'; readonly args: Arguments; readonly parameter: string }
  | { readonly kind: 'unfit'; readonly issues: readonly Issue[] }
  | { readonly kind: 'none' };

// Recorded devices: `end` of the holiday programs, `duration` of a room's quick mode and `timeout` of the ventilation's, both in minutes, the
// latter in hours where the device counts its runtime in hours.
const MINUTES: ReadonlySet<string> = new Set(['duration', 'timeout']);

const takesEnd = (name: string, parameter: Parameter): boolean =>
  name === 'end' ? isDateParameter(parameter) : MINUTES.has(name) && parameter.type === 'number';

/** True where the arguments, but for those that were `completed`, say when the device ends the command by itself. */
export const endsItself = ({ params }: Command, args: Arguments, completed: readonly string[] = []): boolean =>
  [...params].some(([name, parameter]) => takesEnd(name, parameter) && Object.hasOwn(args, name) && !completed.includes(name));

/** True where the feature is a program that runs and that the device ends by itself. */
export const runsToItsEnd = ({ properties, commands }: Feature): boolean =>
  properties.get('active')?.value === true &&
  [...commands.values()].some(({ params }) => [...params].some(([name, parameter]) => takesEnd(name, parameter)));

/** So many minutes has one of the time that the commands of this feature take. */
export const minutesOfOne = ({ properties }: Feature): number =>
  [...properties].some(([name, { unit }]) => /runtime$/iu.test(name) && unit === 'hours') ? 60 : 1;

/**
 * The `end` of a holiday that is over when this day begins. A heating that allows a holiday of one day counts it as the last whole day (a
 * Vitotrol 200-E: until 23:59 of it), others are back in their week from its 00:00 on (Vitotronic).
 */
const endBefore = (day: string, { constraints }: Parameter): string => (constraints.sameDayAllowed === true ? dayAfter(day, -1) : day);

/** What a command takes for so many minutes: a fraction where it is no whole number, but for what the seconds of an instant make. */
const countOf = (minutes: number, one: number): number => {
  const [count, whole] = [minutes / one, Math.round(minutes / one)];
  return Math.abs(count - whole) * one < 1 ? whole : count;
};

/**
 * Puts the end of a write into the command's own parameter for it, where that is absent or `completed` without being asked for, and takes this
 * end. The device then ends the write itself. `one`: minutes that one of its times has (`minutesOfOne`). Issues have the JSON pointer of the
 * parameter.
 */
export const fillOwnEnd = (
  command: Command,
  args: Arguments,
  { minutes, day, nextDay }: EndToFill,
  completed: readonly string[] = [],
  one = 1,
): Filled => {
  const isFree = (key: string): boolean => !Object.hasOwn(args, key) || completed.includes(key);
  const [name, parameter] = [...command.params].find(([key, each]) => takesEnd(key, each) && isFree(key)) ?? [];
  if (name === undefined || !parameter) return { kind: 'none' };
  const isDay = name === 'end';
  const value = isDay ? day && endBefore(day, parameter) : countOf(minutes, one);
  const latest = endBefore(nextDay, parameter);
  const filled = { ...args, [name]: value ?? latest };
  const issues = checkArguments(command, filled).filter(({ path }) => path === pointer(name));
  if (value !== undefined && issues.length === 0) return { kind: 'filled', args: filled, parameter: name };
  // What lasts longer by itself can be ended from here.
  const present = args[name];
  const isLonger = typeof present === 'number' ? present * one > minutes : typeof present === 'string' && present >= latest;
  if (!parameter.required || isLonger) return { kind: 'none' };
  const message = `${command.name} ends at the beginning of a day; the next one is ${nextDay}`;
  const unfit: Issue = { path: pointer(name), rule: 'date', message, nearest: [nextDay] };
  if (value === undefined) return { kind: 'unfit', issues: [unfit] };
  // The day that was written, not the one before it.
  const told = (issue: Issue): Issue => ({ ...issue, message: `its last day would be the one before ${day}: ${issue.message}`, got: day });
  return { kind: 'unfit', issues: isDay && value !== day ? issues.map(told) : issues };
};
