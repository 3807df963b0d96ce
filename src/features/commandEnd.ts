import { type Issue, pointer } from '../shared/issue.ts';
import { checkArguments } from './command.ts';
import { isDateParameter } from './dateRules.ts';
import type { Command, Feature, Json, Parameter } from './feature.ts';
import { dayAfter } from './performance/calendar.ts';

type Arguments = Readonly<Record<string, Json>>;

/** An end for a command: minutes from now, and the day (local, `YYYY-MM-DD`) that begins then, if any. */
export type EndToFill = { readonly minutes: number; readonly day: string | undefined; readonly nextDay: string };

/** `filled`: a parameter has the end; `unfit`: the command needs another end; `none`: no such parameter. */
export type Filled =
  | { readonly kind: 'filled'; readonly args: Arguments; readonly parameter: string }
  | { readonly kind: 'unfit'; readonly issues: readonly Issue[] }
  | { readonly kind: 'none' };

// Recorded devices: `end` of the holiday programs, `duration` of a room's quick mode and `timeout` of the
// ventilation's. The last two are in minutes; `timeout` is in hours if the device counts its runtime in
// hours.
const MINUTES: ReadonlySet<string> = new Set(['duration', 'timeout']);

const takesEnd = (name: string, parameter: Parameter): boolean =>
  name === 'end' ? isDateParameter(parameter) : MINUTES.has(name) && parameter.type === 'number';

/** True if the arguments (without `completed` ones) define when the device ends the command by itself. */
export const endsItself = ({ params }: Command, args: Arguments, completed: readonly string[] = []): boolean =>
  [...params].some(([name, parameter]) => takesEnd(name, parameter) && Object.hasOwn(args, name) && !completed.includes(name));

/** True if the feature is a running program that the device ends by itself. */
export const runsToItsEnd = ({ properties, commands }: Feature): boolean =>
  properties.get('active')?.value === true &&
  [...commands.values()].some(({ params }) => [...params].some(([name, parameter]) => takesEnd(name, parameter)));

/** The minutes per time unit that the commands of this feature use (60 for hours, else 1). */
export const minutesOfOne = ({ properties }: Feature): number =>
  [...properties].some(([name, { unit }]) => /runtime$/iu.test(name) && unit === 'hours') ? 60 : 1;

/**
 * The `end` of a holiday that is over when this day begins. A heating that allows one-day holidays counts
 * `end` as the last whole day (Vitotrol 200-E: until 23:59). Others return to their week at its 00:00
 * (Vitotronic).
 */
const endBefore = (day: string, { constraints }: Parameter): string => (constraints.sameDayAllowed === true ? dayAfter(day, -1) : day);

/** The time value for these minutes. May be a fraction; a difference of less than one minute is rounded. */
const countOf = (minutes: number, one: number): number => {
  const [count, whole] = [minutes / one, Math.round(minutes / one)];
  return Math.abs(count - whole) * one < 1 ? whole : count;
};

/**
 * Sets the command's own end parameter, if it is absent or only `completed`, and if it accepts this end. The
 * device then ends the write itself. `one`: minutes per time unit (`minutesOfOne`). Issues have the JSON
 * pointer of the parameter.
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
  // The bridge can end a command that lasts longer.
  const present = args[name];
  const isLonger = typeof present === 'number' ? present * one > minutes : typeof present === 'string' && present >= latest;
  if (!parameter.required || isLonger) return { kind: 'none' };
  const message = `${command.name} must end at the beginning of a day; the next is ${nextDay}`;
  const unfit: Issue = { path: pointer(name), rule: 'date', message, nearest: [nextDay] };
  if (value === undefined) return { kind: 'unfit', issues: [unfit] };
  // Reports the written day, not the day before it.
  const told = (issue: Issue): Issue => ({ ...issue, message: `its last day would be the day before ${day}: ${issue.message}`, got: day });
  return { kind: 'unfit', issues: isDay && value !== day ? issues.map(told) : issues };
};
