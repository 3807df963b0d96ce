import { resolve } from 'node:path';
import { percentDecoded } from '../shared/percentDecoded.ts';
import { addressesOf, findsDevices, profileOf } from './profiles.ts';
import type { Loaded } from './schema.ts';
import { addressesIn } from './validation/brokerAddresses.ts';
import { type DeviceChoice, type DeviceSettings, toChoice, toDevice } from './validation/deviceEntries.ts';

type Optional<T> = { [Key in keyof T]: null extends T[Key] ? Key : never }[keyof T];

/** The same keys; an unset optional setting is absent instead of null. */
type Present<T> = Omit<T, Optional<T>> & { readonly [Key in Optional<T>]?: NonNullable<T[Key]> };

/** The settings in use, deeply frozen, named as in YAML. Units: `_s` seconds, `_h` hours. See schema.ts. */
export type Settings = Omit<Loaded, 'platform' | 'mqtt' | 'web' | 'energy' | 'gas' | 'accounts' | 'devices' | 'data_dir'> & {
  /** Addresses have no slash at the end. */
  readonly platform: Omit<Loaded['platform'], 'profile' | 'paths' | 'scope'> & {
    readonly profile: 'v1' | 'v2';
    /** Paths that replace the profile's; absent if there are none. */
    readonly paths?: Present<Loaded['platform']['paths']>;
    readonly scope: string;
  };
  /**
   * `username` and `password` include those of the URL; `ca`, `cert` and `key` are absolute paths. If there
   * are several addresses, these belong to the first; `others` has the rest.
   */
  readonly mqtt: Present<Loaded['mqtt']> & { readonly others?: readonly BrokerPlace[] };
  readonly web: Present<Loaded['web']>;
  readonly energy: Present<Loaded['energy']>;
  readonly gas: Present<Loaded['gas']>;
  /** Empty if devices are discovered. */
  readonly devices: readonly DeviceSettings[];
  /** Present if devices are discovered: a selection with names; without an entry, all devices. */
  readonly choices?: readonly DeviceChoice[];
  /** Absolute path. */
  readonly data_dir: string;
  /** The further account that messages about commands name; false for a fleet account. */
  readonly account?: string | false;
  /** In a Home Assistant app without its own broker: the Supervisor names it; `givesLogin`: and its user. */
  readonly supervisor?: { readonly token: () => string; readonly givesLogin: boolean };
};

/** One broker address, without user and password. */
type BrokerPlace = { readonly url: string; readonly username?: string; readonly password?: string };

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

const withoutNull = <T extends object>(values: T): Present<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as Present<T>;

/** Moves user and password of an address to `username` and `password`, so that the URL can be logged. */
const brokerPlace = (address: string, mqtt: Loaded['mqtt']) => {
  const url = new URL(address);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  return {
    url: username === '' && password === '' ? address : url.href,
    username: username === '' ? mqtt.username : percentDecoded(username),
    password: password === '' ? mqtt.password : percentDecoded(password),
  };
};

const finishMqtt = (mqtt: Loaded['mqtt'], cwd: string): Settings['mqtt'] => {
  const [first, ...others] = addressesIn(mqtt.url);
  const absolute = (file: string | null) => (file === null ? null : resolve(cwd, file));
  return {
    ...withoutNull({
      ...mqtt,
      ...brokerPlace(first, mqtt),
      ca: absolute(mqtt.ca),
      cert: absolute(mqtt.cert),
      key: absolute(mqtt.key),
    }),
    ...(others.length > 0 ? { others: others.map((address) => withoutNull(brokerPlace(address, mqtt))) } : {}),
  };
};

const finishPlatform = (platform: Loaded['platform']): Settings['platform'] => {
  const { paths: written, ...rest } = platform;
  const { base_url, auth_url, scope } = addressesOf(platform);
  const paths = withoutNull(written);
  return {
    ...rest,
    profile: profileOf(platform),
    base_url: withoutSlash(base_url),
    auth_url: withoutSlash(auth_url),
    scope,
    ...(Object.keys(paths).length > 0 ? { paths } : {}),
  };
};

const deepFreeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
};

/** The frozen settings, from values without mistakes. Relative paths start at `cwd`. */
export const finish = (loaded: Loaded, dataDir: string, cwd: string, supervisor?: Settings['supervisor']): Settings => {
  const { accounts: _, ...own } = loaded;
  const { platform } = own;
  return deepFreeze({
    ...own,
    platform: finishPlatform(platform),
    mqtt: finishMqtt(loaded.mqtt, cwd),
    web: withoutNull(loaded.web),
    energy: withoutNull(loaded.energy),
    gas: withoutNull(loaded.gas),
    ...(findsDevices(platform)
      ? { devices: [], choices: loaded.devices.map(toChoice) }
      : { devices: loaded.devices.map((device) => toDevice(device, platform.read)) }),
    data_dir: resolve(cwd, dataDir),
    ...(supervisor ? { supervisor } : {}),
  });
};
