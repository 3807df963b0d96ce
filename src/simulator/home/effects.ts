import { isObject, type Json, type JsonObject } from '../http/json.ts';
import type { HomeCommand } from './home.ts';
import type { Change } from './house.ts';
import type { FeatureRecord } from './record.ts';

const jsonType = (value: Json): string => (Array.isArray(value) ? 'array' : typeof value);
const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const fits = (record: FeatureRecord, property: string, value: Json): boolean => {
  const type = record.type(property);
  if (type === undefined) return record.has(property);
  return type === jsonType(value) || (type === 'Schedule' && isObject(value));
};

/**
 * The property of a parameter, by the names of parameter and command: the schedule; the same name;
 * `targetTemperature` → `temperature`; `minTemperature` → `min`; `setMin` → `min`;
 * `setHysteresisSwitchOnValue` → `switchOnValue`; `value`; for `setValue` the only one of that type.
 */
const writtenProperty = (record: FeatureRecord, command: string, param: string, value: Json): string | undefined => {
  const named = command.replace(/^set/, '');
  const names = [
    ...record.properties().filter((property) => record.type(property) === 'Schedule'),
    ...(command.startsWith('set') ? [lowerFirst(named)] : []),
    ...record.properties().filter((property) => property.length > 5 && named.toLowerCase().endsWith(property.toLowerCase())),
    param,
    lowerFirst(param.replace(/^target/, '')),
    param.replace(/Temperature$/, ''),
    'value',
  ];
  const found = names.find((name) => record.has(name) && fits(record, name, value));
  if (found !== undefined || command !== 'setValue') return found;
  const alike = record.properties().filter((property) => fits(record, property, value));
  return alike.length === 1 ? alike[0] : undefined;
};

/** Changes independent of the parameters: a switch, a cancelled holiday, a schedule reset. */
const impliedValues = (record: FeatureRecord, command: string, args: JsonObject): JsonObject => {
  const switched = (property: string, value: boolean): JsonObject => (record.type(property) === 'boolean' ? { [property]: value } : {});
  switch (command) {
    case 'activate':
      return switched('active', true);
    case 'deactivate':
      return switched('active', false);
    case 'enable':
      return switched('enabled', true);
    case 'disable':
      return switched('enabled', false);
    case 'unschedule':
      return { ...switched('active', false), ...(record.has('start') ? { start: '' } : {}), ...(record.has('end') ? { end: '' } : {}) };
    case 'resetSchedule': {
      const schedule = record.properties().find((property) => record.type(property) === 'Schedule');
      return schedule === undefined ? {} : { [schedule]: record.initial(schedule) };
    }
    default:
      return args.active === undefined ? {} : switched('active', args.active === true);
  }
};

/** A child lock has its state twice: `status` follows `active`. */
const statusValues = (record: FeatureRecord, values: JsonObject): JsonObject => {
  const status = record.value('status');
  if (typeof values.active !== 'boolean' || (status !== 'active' && status !== 'inactive')) return {};
  return { status: values.active ? 'active' : 'inactive' };
};

/** The changes by a command with checked arguments: as the home describes them, else by naming rules. */
export const effects = (record: FeatureRecord, name: string, command: HomeCommand, args: JsonObject): readonly Change[] => {
  const written = Object.entries(args).flatMap(([param, value]) => {
    if (value === undefined) return [];
    const own = writtenProperty(record, name, param, value);
    const targets = command.writes?.[param] ?? (own === undefined ? [] : [own]);
    return targets.map((target): [string, Json] => [target, value]);
  });
  const implied = { ...impliedValues(record, name, args), ...command.sets };
  const status = statusValues(record, { ...implied, ...args });
  return [...Object.entries(implied), ...written, ...Object.entries(status)].flatMap(([target, value]) => {
    if (value === undefined) return [];
    const slash = target.lastIndexOf('/');
    return [{ feature: slash < 0 ? record.name : target.slice(0, slash), property: target.slice(slash + 1), value }];
  });
};
