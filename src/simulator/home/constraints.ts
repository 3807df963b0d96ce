import { isArray, type Json, type JsonObject } from '../http/json.ts';
import type { HomeParam } from './home.ts';
import type { FeatureRecord } from './record.ts';
import { checkWeek, type Problem } from './week.ts';

const STEP_TOLERANCE = 1e-6;

const checkNumber = (value: Json, limits: JsonObject, path: string): Problem[] => {
  if (typeof value !== 'number') return [{ path, message: 'must be a number' }];
  const { min, max, stepping } = limits;
  const problems: Problem[] = [];
  if (typeof min === 'number' && value < min) problems.push({ path, message: `must be at least ${min}` });
  if (typeof max === 'number' && value > max) problems.push({ path, message: `must be at most ${max}` });
  if (typeof stepping !== 'number' || stepping <= 0) return problems;
  const steps = (value - (typeof min === 'number' ? min : 0)) / stepping;
  if (Math.abs(steps - Math.round(steps)) * stepping > STEP_TOLERANCE) problems.push({ path, message: `must be in steps of ${stepping}` });
  return problems;
};

const pattern = (regEx: string): RegExp | undefined => {
  try {
    return new RegExp(regEx, 'u');
  } catch {
    return undefined;
  }
};

const checkText = (value: Json, limits: JsonObject, path: string): Problem[] => {
  if (typeof value !== 'string') return [{ path, message: 'must be a string' }];
  const { minLength, maxLength, regEx } = limits;
  const length = [...value].length;
  return [
    ...(typeof minLength === 'number' && length < minLength ? [{ path, message: `must have at least ${minLength} characters` }] : []),
    ...(typeof maxLength === 'number' && length > maxLength ? [{ path, message: `must have at most ${maxLength} characters` }] : []),
    ...(typeof regEx === 'string' && pattern(regEx)?.test(value) === false ? [{ path, message: `must match ${regEx}` }] : []),
  ];
};

const checkValue = (value: Json, param: HomeParam, shown: Json | undefined, path: string): Problem[] => {
  const limits = param.constraints ?? {};
  // Some devices have an empty list of choices, which is no limit.
  if (isArray(limits.enum) && limits.enum.length > 0 && !limits.enum.includes(value)) {
    return [{ path, message: `must be one of ${limits.enum.join(', ')}` }];
  }
  switch (param.type) {
    case 'number':
      return checkNumber(value, limits, path);
    case 'string':
      return checkText(value, limits, path);
    case 'boolean':
      return typeof value === 'boolean' ? [] : [{ path, message: 'must be a boolean' }];
    case 'Schedule':
      return checkWeek(value, limits, shown, path);
    default:
      return [];
  }
};

/** Compares `end` with the given or current `start`, if the parameter defines whether they may be equal. */
const checkDates = (args: JsonObject, params: Readonly<Record<string, HomeParam>>, record: FeatureRecord): Problem[] => {
  const allowed = params.end?.constraints?.sameDayAllowed;
  const start = args.start ?? record.value('start');
  const { end } = args;
  if (typeof allowed !== 'boolean' || typeof start !== 'string' || typeof end !== 'string') return [];
  if (end < start) return [{ path: '/end', message: 'must not be before start' }];
  return end === start && !allowed ? [{ path: '/end', message: 'must not be the same day as start' }] : [];
};

/** All rules of the record's parameters that a command body breaks. */
export const checkArguments = (
  args: JsonObject,
  params: Readonly<Record<string, HomeParam>>,
  record: FeatureRecord,
): readonly Problem[] => {
  const schedule = record.properties().find((property) => record.type(property) === 'Schedule');
  const shown = schedule === undefined ? undefined : record.value(schedule);
  return [
    ...Object.keys(args)
      .filter((name) => !Object.hasOwn(params, name))
      .map((name) => ({ path: `/${name}`, message: 'is not a parameter of this command' })),
    ...Object.entries(params).flatMap(([name, param]) => {
      const value = Object.hasOwn(args, name) ? args[name] : undefined;
      if (value === undefined) return param.required ? [{ path: `/${name}`, message: 'is required' }] : [];
      return checkValue(value, param, shown, `/${name}`);
    }),
    ...checkDates(args, params, record),
  ];
};
