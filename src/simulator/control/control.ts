import type { Platform } from '../api/platform.ts';
import { raise } from '../home/events.ts';
import type { House } from '../home/house.ts';
import type { FeatureRecord } from '../home/record.ts';
import { isArray, isObject, type Json, type JsonObject, parseJson } from '../http/json.ts';

/** `house`: that of the gateway in the command, else the first. `undefined` is answered with `{}`. */
type ControlAction = (command: JsonObject, platform: Platform, house: House) => Json | undefined;

const text = (command: JsonObject, name: string): string => {
  const value = command[name];
  if (typeof value !== 'string') throw new Error(`${name} must be a string.`);
  return value;
};

const flag = (command: JsonObject): boolean => {
  const { on } = command;
  if (typeof on !== 'boolean') throw new Error('on must be true or false.');
  return on;
};

const everRecord = (command: JsonObject, house: House): FeatureRecord => {
  const feature = text(command, 'feature');
  const devices = typeof command.device === 'string' ? [command.device] : [...house.devices(), undefined];
  const found = devices.map((device) => house.everRecord(device, feature)).find((record) => record !== undefined);
  if (!found) throw new Error(`There is no feature ${feature}.`);
  return found;
};

const deviceIn = (command: JsonObject, house: House): string => {
  const device = text(command, 'device');
  if (!Object.hasOwn(house.home.devices, device)) throw new Error(`There is no device ${device}.`);
  return device;
};

const set: ControlAction = (command, { now }, house) => {
  const record = everRecord(command, house);
  const property = typeof command.property === 'string' ? command.property : 'value';
  const { value } = command;
  if (value === undefined || value === null) throw new Error('value is required; use remove_value to remove a property.');
  house.put(record, property, value, now());
  house.hold(record, property);
  if (property === 'value' && record.value('status') === 'notConnected') house.put(record, 'status', 'connected', now());
};

const removeValue: ControlAction = (command, { now }, house) => {
  const record = everRecord(command, house);
  const property = typeof command.property === 'string' ? command.property : 'value';
  house.put(record, property, undefined, now());
  house.hold(record, property);
  if (property === 'value' && record.has('status')) {
    house.put(record, 'status', 'notConnected', now());
    house.hold(record, 'status');
  }
};

const presence =
  (to: FeatureRecord['presence']): ControlAction =>
  (command, { now }, house) => {
    const record = everRecord(command, house);
    record.presence = to;
    record.touch(now());
  };

const away =
  (isAway: boolean): ControlAction =>
  (command, _platform, house) =>
    void house.take(deviceIn(command, house), isAway);

/** Disconnects or connects the gateway or the named device. */
const connection =
  (online: boolean): ControlAction =>
  (command, { events, now }, house) => {
    const device = command.device === undefined ? undefined : deviceIn(command, house);
    house.connect(device, online);
    // The type stays the same when it goes offline.
    events.add(house, device === undefined ? 'gateway-online' : 'device-online', { online, deviceId: device }, now());
  };

/** The records that can freeze, by name. */
const FREEZES: Readonly<Record<string, RegExp>> = {
  summary: /\.(?:consumption|production)\.summary\./,
  lists: /\.(?:consumption|production)\.(?!summary\.)/,
  amounts: /\.(?:consumption|production)\./,
  device: /./,
};
const DAY_MS = 86_400_000;

/** Freezes records now, or from the next 00:00 UTC, as with the summary at Viessmann. */
const freeze: ControlAction = (command, { now }, house) => {
  const device = command.device === undefined ? (house.devices()[0] ?? '0') : deviceIn(command, house);
  const { what = 'summary', at = 'now' } = command;
  const names = typeof what === 'string' && Object.hasOwn(FREEZES, what) ? FREEZES[what] : undefined;
  if (!names) throw new Error(`what must be one of ${Object.keys(FREEZES).join(', ')}.`);
  if (at !== 'now' && at !== 'midnight') throw new Error('at must be now or midnight.');
  house.freeze(device, names, at === 'now' ? now() : Math.ceil(now() / DAY_MS) * DAY_MS);
  house.advance(now());
};

/** A heating fault starts or ends: as an event and in the device's list. `late_ms`: delay of the event. */
const heatingFault =
  (active: boolean): ControlAction =>
  (command, { events, now }, house) => {
    const device = command.device === undefined ? (house.devices()[0] ?? '0') : deviceIn(command, house);
    const { type = 'device-error', text: said = '', late_ms: lateMs = 2000 } = command;
    if (typeof type !== 'string' || typeof said !== 'string' || typeof lateMs !== 'number')
      throw new Error('type and text must be strings, late_ms a number.');
    raise(house, events, { code: text(command, 'code'), device, text: said, type, lateMs, active }, now());
  };

const idOf = (value: Json | undefined): number | undefined => {
  const id = isObject(value) ? value.id : value;
  if (id !== undefined && typeof id !== 'number') throw new Error('id must be a number.');
  return id;
};

const lag: ControlAction = (command, { houses }) => {
  const { ms } = command;
  if (typeof ms !== 'number' || ms < 0) throw new Error('ms must be a number from 0.');
  for (const house of houses) house.effectDelayMs = ms;
};

const client: ControlAction = (command, platform) => {
  const { clientId, redirectUris } = command;
  const uris = isArray(redirectUris) ? redirectUris.filter((uri) => typeof uri === 'string') : platform.client.redirectUris;
  platform.client = { clientId: typeof clientId === 'string' ? clientId : platform.client.clientId, redirectUris: uris };
};

const live: ControlAction = (command, { houses }) => {
  for (const house of houses) {
    house.lives = flag(command);
    if (house.lives) house.release();
  }
};

/** The actions of the control path, by `command`. */
const ACTIONS: Readonly<Record<string, ControlAction>> = {
  fault: (command, { faults, now }) => ({ id: faults.add(command, now()) }),
  clear: (command, { faults }) => ({ cleared: faults.clear(idOf(command.id)) }),
  expire_tokens: (_command, { tokens }) => void tokens.expireAccess(),
  revoke_refresh_tokens: (_command, { tokens }) => void tokens.revokeRefresh(),
  set,
  remove_value: removeValue,
  remove_feature: presence('removed'),
  restore_feature: presence('enabled'),
  disable_feature: presence('disabled'),
  lag,
  live,
  client,
  adapt: (_command, { behaviour }) => {
    behaviour.adaptNext = true;
  },
  wrapped: (command, { behaviour }) => {
    behaviour.wrapped = flag(command);
  },
  retire_v1: (command, { behaviour }) => {
    behaviour.v1Retired = flag(command);
  },
  freeze,
  thaw: (_command, _platform, house) => void house.thaw(),
  raise: heatingFault(true),
  end: heatingFault(false),
  disconnect: connection(false),
  connect: connection(true),
  remove_device: away(true),
  restore_device: away(false),
  calls: (_command, { calls }) => calls.counts(),
  reset: (_command, { calls, faults }) => {
    calls.reset();
    faults.clear();
  },
};

/** The commands of the control path. */
export const CONTROL_WORDS: readonly string[] = Object.keys(ACTIONS);

/** Executes a control command and returns its answer; throws an Error for an invalid command. */
export const control = (command: unknown, platform: Platform): Json => {
  const read = parseJson(JSON.stringify(command) ?? '');
  const name = isObject(read) ? read.command : undefined;
  const action = typeof name === 'string' && Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!isObject(read) || !action) throw new Error(`command must be one of ${CONTROL_WORDS.join(', ')}.`);
  const { houses, now } = platform;
  const house = read.gateway === undefined ? platform.house : houses.find(({ home }) => home.gateway === read.gateway);
  if (!house) throw new Error(`gateway must be one of ${houses.map(({ home }) => home.gateway).join(', ')}.`);
  for (const each of houses) each.advance(now());
  return action(read, platform, house) ?? {};
};
