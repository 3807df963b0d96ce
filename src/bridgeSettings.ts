import { isIP } from 'node:net';
import type { BridgeSettings } from './bridge/dependencies.ts';
import { pageUrl } from './config/pageUrl.ts';
import { DEFAULT_CALLS_PER_DAY } from './config/schema.ts';
import type { Settings } from './config/settings.ts';
import { SHORTEST_PASSWORD } from './config/validation/webChecks.ts';
import { pathsOf } from './platform/paths.ts';
import { PRICE_UNITS } from './schedule/prices/priceUnit.ts';
import { readWindow } from './schedule/prices/window.ts';
import { readProfile } from './schedule/profile.ts';
import { machineZone } from './shared/timeZone.ts';
import { VERSION } from './shared/version.ts';

const HERE_OR_ALL = /^(?:127\.|0\.0\.0\.0$|[0:]+1?$)/;

/** The page's address if it is served on the network (`planListeners`). Hubs reject a zone (`%`). */
const pageAddress = (web: Settings['web']): { readonly page?: string } => {
  const { enabled, listen = '', password = '', port } = web;
  const isServed = enabled && password.length >= SHORTEST_PASSWORD;
  return isServed && isIP(listen) > 0 && !listen.includes('%') && !HERE_OR_ALL.test(listen) ? { page: pageUrl(listen, port, web) } : {};
};

/** Undefined if there are no prices. */
const pricePlan = ({ topic, url, unit, currency, windows }: Settings['prices']): BridgeSettings['pricePlan'] =>
  topic === null && url === null
    ? undefined
    : { topic, unit: PRICE_UNITS.find((one) => one === unit), currency, windows: windows.flatMap((text) => readWindow(text) ?? []) };

/** The bridge's settings, with default names for unnamed devices. */
export const bridgeSettings = (settings: Settings): BridgeSettings => {
  const { mqtt, poll, commands, platform, homeassistant, schedules, energy, gas } = settings;
  const devices = settings.devices.map((device) => ({ ...device, name: device.name ?? `${device.gateway}-${device.device}` }));
  return {
    base: mqtt.base,
    version: VERSION,
    maxPayload: mqtt.max_payload,
    devices,
    read: platform.read,
    gateways: pathsOf(platform).gateway_all !== undefined,
    poll,
    commands,
    ...{ eventMinutes: settings.events.minutes, historyDays: settings.history.days, prices: { ...energy, ...gas } },
    pricePlan: pricePlan(settings.prices),
    profiles: schedules.profiles.map(([name, week]) => readProfile(name, week)),
    seasons: schedules.seasons,
    discovery: {
      ...{ mode: homeassistant.discovery, prefix: homeassistant.prefix, statusTopic: homeassistant.status_topic },
      ...pageAddress(settings.web),
    },
    account: settings.account,
    ...{ language: settings.language, calendarRules: settings.calendar.rules },
    ...(platform.quota.per_day === DEFAULT_CALLS_PER_DAY ? { defaultPerDay: DEFAULT_CALLS_PER_DAY } : {}),
    timeZone: { setting: schedules.time_zone, machine: machineZone() },
    shown: {
      platform: { profile: platform.profile, base_url: platform.base_url, read: platform.read, quota: platform.quota },
      poll,
      schedules: { ...schedules, profiles: Object.fromEntries(schedules.profiles) },
      commands,
      homeassistant,
      language: settings.language,
    },
  };
};
