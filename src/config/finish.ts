import { resolve } from 'node:path';
import { addressesOf, findsDevices } from './profiles.ts';
import type { Loaded } from './setting.ts';
import type { Settings } from './settings.ts';
import { toChoice, toDevice } from './validation/deviceRules.ts';

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** User and password of the URL go where those of the settings are, so that the URL may be logged. */
const finishMqtt = (mqtt: Loaded['mqtt'], cwd: string): Settings['mqtt'] => {
  const url = new URL(mqtt.url);
  const username = url.username === '' ? mqtt.username : decoded(url.username);
  const password = url.password === '' ? mqtt.password : decoded(url.password);
  const bare = username === mqtt.username && password === mqtt.password;
  url.username = '';
  url.password = '';
  return {
    url: bare ? mqtt.url : url.href,
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    base: mqtt.base,
    version: mqtt.version,
    ...(mqtt.ca === null ? {} : { ca: resolve(cwd, mqtt.ca) }),
    ...(mqtt.cert === null ? {} : { cert: resolve(cwd, mqtt.cert) }),
    ...(mqtt.key === null ? {} : { key: resolve(cwd, mqtt.key) }),
    ...(mqtt.client_id === null ? {} : { client_id: mqtt.client_id }),
    max_payload: mqtt.max_payload,
  };
};

const finishPlatform = (platform: Loaded['platform']): Settings['platform'] => {
  const { paths: written, ...rest } = platform;
  const { base_url, auth_url, scope } = addressesOf(platform);
  const paths = Object.fromEntries(Object.entries(written).flatMap(([name, path]) => (path === null ? [] : [[name, path]])));
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
    platform: finishPlatform(platform),
    poll: loaded.poll,
    mqtt: finishMqtt(loaded.mqtt, cwd),
    homeassistant: loaded.homeassistant,
    ...(findsDevices(platform)
      ? { devices: [], choices: loaded.devices.map(toChoice) }
      : { devices: loaded.devices.map((device) => toDevice(device, platform.read)) }),
    schedules: { ...loaded.schedules, profiles: loaded.schedules.profiles ?? [] },
    commands: loaded.commands,
    data_dir: resolve(cwd, dataDir),
    log: loaded.log,
  });
};
