import { resolve } from 'node:path';
import { addressesOf, findsDevices } from './profiles.ts';
import type { Loaded } from './schema.ts';
import type { Present, Settings } from './settings.ts';
import { toChoice, toDevice } from './validation/deviceEntries.ts';

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const withoutNull = <T extends object>(values: T): Present<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as Present<T>;

/** Moves user and password of the URL to `username` and `password`, so that the URL may be logged. */
const finishMqtt = (mqtt: Loaded['mqtt'], cwd: string): Settings['mqtt'] => {
  const url = new URL(mqtt.url);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  const absolute = (file: string | null) => (file === null ? null : resolve(cwd, file));
  return withoutNull({
    ...mqtt,
    url: username === '' && password === '' ? mqtt.url : url.href,
    username: username === '' ? mqtt.username : decoded(username),
    password: password === '' ? mqtt.password : decoded(password),
    ca: absolute(mqtt.ca),
    cert: absolute(mqtt.cert),
    key: absolute(mqtt.key),
  });
};

const finishPlatform = (platform: Loaded['platform']): Settings['platform'] => {
  const { paths: written, ...rest } = platform;
  const { base_url, auth_url, scope } = addressesOf(platform);
  const paths = withoutNull(written);
  return {
    ...rest,
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

/** The settings in force, frozen, of settings in which no mistake was found. Relative paths start at `cwd`. */
export const finish = (loaded: Loaded, dataDir: string, cwd: string): Settings => {
  const { platform } = loaded;
  return deepFreeze({
    ...loaded,
    platform: finishPlatform(platform),
    mqtt: finishMqtt(loaded.mqtt, cwd),
    ...(findsDevices(platform)
      ? { devices: [], choices: loaded.devices.map(toChoice) }
      : { devices: loaded.devices.map((device) => toDevice(device, platform.read)) }),
    data_dir: resolve(cwd, dataDir),
  });
};
