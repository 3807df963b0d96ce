import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isArray, isObject, type Json, type JsonObject, parseJson } from '../http/json.ts';
import { type Condition, defaultHome, type Home, type HomeCommand, type HomeDevice, type HomeFeature, type HomeParam } from './home.ts';

/** New ids, because the recorded ids are masked (`################`). */
const INSTALLATION = 222333;
const GATEWAY = '7571381600000001';
const USABLE_ID = /^[A-Za-z0-9._-]+$/;

const KNOWN: ReadonlySet<string> = new Set(
  'feature gatewayId deviceId apiVersion isEnabled isReady timestamp uri properties commands'.split(' '),
);

const objects = (value: Json | undefined): [string, JsonObject][] =>
  Object.entries(isObject(value) ? value : {}).flatMap(([name, member]) => (isObject(member) ? [[name, member]] : []));

const text = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

/** The recorded URL with the new ids; host and path stay. */
const readdress = (uri: string, device: string | undefined): string =>
  uri
    .replace(/\/installations\/[^/]+/, `/installations/${INSTALLATION}`)
    .replace(/\/gateways\/[^/]+/, `/gateways/${GATEWAY}`)
    .replace(/\/devices\/[^/]+/, device === undefined ? '$&' : `/devices/${device}`);

const readParam = (param: JsonObject): HomeParam => ({
  type: text(param.type) ?? 'string',
  required: param.required === true,
  constraints: isObject(param.constraints) ? param.constraints : {},
});

/** A command follows its switch if the recorded states agree; any other keeps its recorded state. */
const whenOf = (name: string, executable: Json | undefined, properties: JsonObject): Readonly<Record<string, Condition>> | undefined => {
  const active = isObject(properties.active) ? properties.active.value : undefined;
  if (name !== 'activate' && name !== 'deactivate') return undefined;
  if (typeof active !== 'boolean' || executable !== (name === 'activate' ? !active : active)) return undefined;
  return { active: name === 'deactivate' };
};

const readCommand = (name: string, command: JsonObject, properties: JsonObject, device: string | undefined): HomeCommand => {
  const { isExecutable, isDeprecated, constraints, uri, description } = command;
  const when = whenOf(name, isExecutable, properties);
  return {
    ...(typeof isExecutable === 'boolean' || typeof isExecutable === 'string' ? { isExecutable } : {}),
    ...(when ? { when } : {}),
    ...(typeof isDeprecated === 'boolean' ? { isDeprecated } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(isObject(constraints) ? { constraints } : {}),
    ...(typeof uri === 'string' ? { uri: readdress(uri, device) } : {}),
    params: Object.fromEntries(objects(command.params).map(([key, param]) => [key, readParam(param)])),
  };
};

const readFeature = (record: JsonObject, device: string | undefined): HomeFeature => {
  const properties = Object.fromEntries(objects(record.properties));
  const { uri, timestamp, apiVersion } = record;
  return {
    properties,
    commands: Object.fromEntries(objects(record.commands).map(([name, command]) => [name, readCommand(name, command, properties, device)])),
    isEnabled: record.isEnabled !== false,
    isReady: record.isReady !== false,
    ...(typeof apiVersion === 'number' ? { apiVersion } : {}),
    ...(typeof timestamp === 'string' ? { timestamp } : {}),
    ...(typeof uri === 'string' ? { uri: readdress(uri, device) } : {}),
    more: Object.fromEntries(Object.entries(record).filter(([name]) => !KNOWN.has(name))),
  };
};

const readRecords = (folder: string, file: string): JsonObject[] => {
  const content = parseJson(readFileSync(path.join(folder, file), 'utf8'));
  const data = isObject(content) ? content.data : undefined;
  if (!isArray(data)) throw new Error(`${path.join(folder, file)} is not a recorded device: it must contain {"data":[…]}.`);
  return data.filter(isObject);
};

/** The recorded id if it is valid in a URL and free, else an id from the file name. */
const freeId = (recorded: string, file: string, alone: boolean, taken: Readonly<Record<string, unknown>>): string => {
  const name = path.basename(file, '.json').replace(/[^A-Za-z0-9._-]/g, '-');
  const candidates = [recorded, alone ? name : `${name}-${recorded}`].filter((id) => USABLE_ID.test(id));
  const free = candidates.find((id) => !Object.hasOwn(taken, id));
  if (free !== undefined) return free;
  let number = 2;
  while (Object.hasOwn(taken, `${name}-${number}`)) number++;
  return `${name}-${number}`;
};

/**
 * A home with the recorded devices of a folder, all at one gateway; a file from a gateway can have several
 * devices. Throws an Error that names a file without a device.
 */
export const recordedHome = (folder: string): Home => {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort();
  if (files.length === 0) throw new Error(`There are no recorded devices (*.json) in ${folder}.`);
  const devices: Record<string, HomeDevice> = {};
  const gatewayFeatures: Record<string, HomeFeature> = {};
  for (const file of files) {
    const records = readRecords(folder, file);
    const groups = Map.groupBy(records, (record) => text(record.deviceId));
    for (const [recorded, members] of groups) {
      const id = recorded === undefined ? undefined : freeId(recorded, file, groups.size === 1, devices);
      const features = Object.fromEntries(members.map((record) => [text(record.feature) ?? '', readFeature(record, id)]));
      if (id === undefined) Object.assign(gatewayFeatures, features);
      else devices[id] = { features, source: file, model: path.basename(file, '.json') };
    }
  }
  return { installation: INSTALLATION, gateway: GATEWAY, user: defaultHome.user, devices, gatewayFeatures };
};
