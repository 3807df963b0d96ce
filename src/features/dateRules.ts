import { broken, type Issue, pointer } from '../shared/issue.ts';
import type { Command, Feature, Json, Parameter } from './feature.ts';

type Arguments = Readonly<Record<string, Json>>;

const DATE = /^\d{4}-\d{2}-\d{2}$/u;
// The pattern of every recorded date parameter (holiday `start` and `end`). `end` also has `sameDayAllowed`.
const DATE_FORM = '^[\\d]{4}-[\\d]{2}-[\\d]{2}$';

const isDay = (text: string): boolean => {
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
};

/** True if the constraints mark the parameter as a calendar day (YYYY-MM-DD). */
export const isDateParameter = (parameter: Parameter | undefined): boolean =>
  typeof parameter?.constraints.sameDayAllowed === 'boolean' || parameter?.constraints.regEx === DATE_FORM;

/** The argument as a date, if its parameter is a date and its form is valid. */
const dateOf = (command: Command, args: Arguments, name: string): string | undefined => {
  if (!Object.hasOwn(args, name)) return undefined;
  const value = args[name];
  return isDateParameter(command.params.get(name)) && typeof value === 'string' && DATE.test(value) ? value : undefined;
};

/** The shown `start`, for a command with only an end: `changeEndDate` of a holiday. */
const shownStart = (command: Command, shown: Feature | undefined): string | undefined => {
  const value = command.params.has('start') ? undefined : shown?.properties.get('start')?.value;
  return typeof value === 'string' && DATE.test(value) ? value : undefined;
};

/** Finds invalid dates, and an `end` that is not after its `start` (an argument, or in `shown`). */
export const dateIssues = (command: Command, args: Arguments, shown?: Feature): Issue[] => {
  const issues: Issue[] = [];
  for (const name of command.params.keys()) {
    const date = dateOf(command, args, name);
    if (date === undefined || isDay(date)) continue;
    issues.push(broken('date', pointer(name), `${date} is not a valid date`, { got: date }));
  }
  const start = dateOf(command, args, 'start') ?? shownStart(command, shown);
  const end = dateOf(command, args, 'end');
  if (issues.length > 0 || start === undefined || end === undefined) return issues;
  const sameDayAllowed = command.params.get('end')?.constraints.sameDayAllowed !== false;
  if (end < start) return [broken('date', '/end', `${end} is before the start, ${start}`, { got: end })];
  if (end === start && !sameDayAllowed)
    return [broken('date', '/end', `${end} is also the start; the end must be a later day`, { got: end })];
  return [];
};
