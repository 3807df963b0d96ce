import { isArray, isObject, type Json, type JsonObject } from '../http/json.ts';
import type { HomeParam } from './home.ts';
import { DAYS } from './wallClock.ts';
import { minuteOf } from './week.ts';

const clock = (minutes: number): string => `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

const adaptNumber = (value: number, limits: JsonObject): number => {
  const step = typeof limits.stepping === 'number' && limits.stepping > 0 ? limits.stepping : 1;
  const next = Number((value + step).toFixed(6));
  const before = Number((value - step).toFixed(6));
  return typeof limits.max === 'number' && next > limits.max ? before : next;
};

/** The week with the first entry of a day, if longer than one grid step, shortened by one step. */
const adaptWeek = (week: JsonObject, limits: JsonObject): JsonObject => {
  const step = typeof limits.resolution === 'number' && limits.resolution > 0 ? limits.resolution : 10;
  for (const day of DAYS) {
    const entries = isArray(week[day]) ? week[day] : [];
    const [first, ...rest] = entries;
    if (!isObject(first)) continue;
    const start = minuteOf(first.start);
    const end = minuteOf(first.end);
    if (start === undefined || end === undefined || end - start <= step) continue;
    return { ...week, [day]: [{ ...first, end: clock(end - step) }, ...rest] };
  }
  return week;
};

const adaptValue = (value: Json, param: HomeParam): Json => {
  const limits = param.constraints ?? {};
  if (isArray(limits.enum) && limits.enum.length > 0) return limits.enum.find((choice) => choice !== value) ?? value;
  if (typeof value === 'number') return adaptNumber(value, limits);
  if (typeof value === 'boolean') return !value;
  return param.type === 'Schedule' && isObject(value) ? adaptWeek(value, limits) : value;
};

/** Valid arguments near the given ones: what a device stores with WARNING_PARAMETERS_CHANGED. */
export const adaptArguments = (args: JsonObject, params: Readonly<Record<string, HomeParam>>): JsonObject =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const param = params[name];
      return [name, value === undefined || param === undefined ? value : adaptValue(value, param)];
    }),
  );
