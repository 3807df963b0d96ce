import { isArray, isObject, type Json, type JsonObject } from '../http/json.ts';
import type { Change, House } from './house.ts';
import type { FeatureRecord } from './record.ts';

const list = (value: Json | undefined): readonly Json[] => (isArray(value) ? value : []);

/** Changes a list that a property holds. */
const edit = (
  house: House,
  device: string | undefined,
  feature: string,
  property: string,
  at: number,
  to: (old: readonly Json[]) => Json[],
): void => {
  const record = house.record(device, feature);
  if (record) house.put(record, property, to(list(record.value(property))), at);
};

const isActor = (id: Json | undefined) => (actor: Json) => isObject(actor) && actor.deviceId === id;

const actorOf = (args: JsonObject): JsonObject => ({
  deviceId: args.actorDeviceId,
  ...(args.heatingCircuit === undefined ? {} : { heatingCircuit: args.heatingCircuit }),
});

const inside = (room: string, feature: string): boolean => feature === room || feature.startsWith(`${room}.`);

/** Adds a room: a copy of the first room with the given name and type, without actors. */
const addRoom = (house: House, device: string | undefined, args: JsonObject, at: number): void => {
  const records = house.records(device);
  const taken = new Set(records.map((record) => /^rooms\.(\d+)$/.exec(record.name)?.[1]).filter((number) => number !== undefined));
  const [like] = taken;
  let number = 0;
  while (taken.has(String(number))) number++;
  if (like === undefined) return;
  for (const record of records.filter(({ name }) => inside(`rooms.${like}`, name))) {
    const { uri: _uri, timestamp: _timestamp, ...source } = record.source();
    house.add(device, record.name.replace(`rooms.${like}`, `rooms.${number}`), source, at);
  }
  const room = house.record(device, `rooms.${number}`);
  if (!room) return;
  for (const [property, value] of Object.entries({ name: args.name, type: args.type, actors: [] })) house.put(room, property, value, at);
  edit(house, device, 'rooms', 'enabled', at, (old) => [...old, String(number)]);
};

const removeRoom = (house: House, device: string | undefined, room: string, at: number): void => {
  for (const record of house.records(device)) if (inside(room, record.name)) record.presence = 'removed';
  edit(house, device, 'rooms', 'enabled', at, (old) => old.filter((number) => `rooms.${number}` !== room));
};

/** The changes of commands for rooms and their actors; undefined for other commands. */
export const roomChanges = (record: FeatureRecord, command: string, args: JsonObject): readonly Change[] | undefined => {
  const room = /^rooms\.\d+$/.test(record.name) ? record.name : undefined;
  if (record.name === 'rooms' && command === 'add') return [{ apply: (house, device, at) => addRoom(house, device, args, at) }];
  if (room === undefined) return undefined;
  const leave = (house: House, device: string | undefined, at: number): void =>
    edit(house, device, room, 'actors', at, (old) => old.filter((actor) => !isActor(args.actorDeviceId)(actor)));
  const enter = (house: House, device: string | undefined, to: string, at: number): void =>
    edit(house, device, to, 'actors', at, (old) => [...old.filter((actor) => !isActor(args.actorDeviceId)(actor)), actorOf(args)]);
  const move = (house: House, device: string | undefined, to: string, at: number): void => {
    if (!house.record(device, to)) return;
    leave(house, device, at);
    enter(house, device, to, at);
  };
  switch (command) {
    case 'addActor':
      return [{ apply: (house, device, at) => enter(house, device, room, at) }];
    case 'removeActor':
      return [{ apply: leave }];
    case 'moveActor':
      return [{ apply: (house, device, at) => move(house, device, `rooms.${args.newRoomId}`, at) }];
    case 'remove':
      return [{ apply: (house, device, at) => removeRoom(house, device, room, at) }];
    default:
      return undefined;
  }
};
