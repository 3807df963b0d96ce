import { targetOf } from '../features/effect.ts';
import type { Command, Feature, Json, Parameter, Property } from '../features/feature.ts';
import { readWeek } from '../schedule/readWeek.ts';

type Constraints = Parameter['constraints'];

const isNumber = (value: Json | undefined): value is number => typeof value === 'number' && Number.isFinite(value);

// Without floating-point noise: 20.1 instead of 20.100000000000001.
const plain = (value: number): number => Number(value.toFixed(6));

/** Limits that include the value, on the grid that hubs count from the lower limit, if it fits. */
const limitsAround = ({ min, max, stepping }: Constraints, value: Json | undefined): Constraints => {
  if (!isNumber(value)) return {};
  const step = isNumber(stepping) && stepping > 0 ? stepping : undefined;
  const reach = (limit: number, sign: 1 | -1): number => {
    if (step === undefined) return value;
    const onGrid = plain(limit + sign * Math.ceil((sign * (value - limit)) / step - 1e-6) * step);
    // Rounding can exclude the value if limit and step differ by many magnitudes; a hub would drop it.
    return Number.isFinite(onGrid) && sign * onGrid >= sign * value ? onGrid : value;
  };
  return {
    ...(isNumber(min) && value < min ? { min: reach(min, -1) } : {}),
    ...(isNumber(max) && value > max ? { max: reach(max, 1) } : {}),
  };
};

const EXTREMES = { min: Math.min, max: Math.max, stepping: Math.min, maxLength: Math.max, maxEntries: Math.max };

/** The widest of both, for each limit that exists now. */
const extremes = (now: Constraints, before: Constraints): Constraints =>
  Object.fromEntries(
    Object.entries(EXTREMES).flatMap(([key, pick]) => {
      const limit = now[key];
      return isNumber(limit) ? [[key, pick(limit, ...[before[key]].filter(isNumber))]] : [];
    }),
  );

/** The previously listed options in order, then new ones; nothing if the list no longer exists. */
const united = (key: string, now: Constraints, before: Constraints, seen: readonly Json[]): Constraints => {
  const [listed, known] = [now[key], before[key]];
  return Array.isArray(listed) ? { [key]: [...new Set([...(Array.isArray(known) ? known : []), ...listed, ...seen])] } : {};
};

const modesSeen = (value: Json | undefined): readonly string[] => {
  const week = readWeek(value);
  return week.ok ? Object.values(week.value).flatMap((day) => day.map(({ mode }) => mode)) : [];
};

const widenedConstraints = (type: string, now: Constraints, before: Constraints, value: Json | undefined): Constraints => {
  const wide = { ...now, ...extremes(now, before) };
  if (type === 'Schedule') return { ...wide, ...united('modes', now, before, modesSeen(value)) };
  const isListed = typeof value === 'number' || (typeof value === 'string' && value !== '');
  const isLonger = typeof value === 'string' && isNumber(wide.maxLength) && value.length > wide.maxLength;
  return {
    ...wide,
    ...limitsAround(wide, value),
    ...(isLonger ? { maxLength: value.length } : {}),
    ...united('enum', now, before, isListed ? [value] : []),
  };
};

/** Returns the same map if no value changes, as for almost every feature that is read. */
const mapValues = <T>(map: ReadonlyMap<string, T>, of: (value: T, name: string) => T): ReadonlyMap<string, T> => {
  let mapped: Map<string, T> | undefined;
  for (const [name, value] of map) {
    const now = of(value, name);
    if (now !== value) mapped = (mapped ?? new Map(map)).set(name, now);
  }
  return mapped ?? map;
};

const widenedCommand = (feature: Feature, command: Command, before: Command | undefined): Command => ({
  ...command,
  params: mapValues(command.params, (parameter, name) => {
    const property = targetOf(feature, command, name, parameter)?.property;
    const value = property === undefined ? undefined : feature.properties.get(property)?.value;
    const known = before?.params.get(name)?.constraints ?? {};
    return { ...parameter, constraints: widenedConstraints(parameter.type, parameter.constraints, known, value) };
  }),
});

// A disconnected sensor may return.
const NOT_CONNECTED = 'notConnected';

const widenedProperty = (name: string, now: Property, before: Property | undefined): Property => {
  const known = before?.type === now.type ? before.value : undefined;
  if (known === undefined) return now;
  const isLost = now.value === undefined || (name === 'status' && now.value === NOT_CONNECTED);
  return isLost ? { ...now, value: known } : now;
};

const withVanished = <T>(shown: ReadonlyMap<string, T>, before: ReadonlyMap<string, T>): ReadonlyMap<string, T> => {
  let all: Map<string, T> | undefined;
  for (const [name, value] of before) if (!shown.has(name)) all = (all ?? new Map(shown)).set(name, value);
  return all ?? shown;
};

/**
 * The feature for the next document: limits and lists include the previous ones and the current value, a
 * missing value is replaced by the last one, and removed properties stay. Documents therefore only become
 * wider.
 */
export const widened = (before: Feature | undefined, now: Feature): Feature => {
  if (!now.isEnabled) return now;
  const shown = mapValues(now.properties, (property, name) => widenedProperty(name, property, before?.properties.get(name)));
  const commands = mapValues(now.commands, (command, name) => widenedCommand(now, command, before?.commands.get(name)));
  const properties = withVanished(shown, before?.properties ?? shown);
  return properties === now.properties && commands === now.commands ? now : { ...now, properties, commands };
};
