import { resolve } from 'node:path';
import { readRule } from '../../schedule/calendar/rules.ts';
import { DAYS_TO_KEEP, readSeasonSetting } from '../../schedule/seasons/seasonSetting.ts';
import { readBytes } from '../file.ts';
import { addressesOf, DEVELOPER_PORTAL, findsDevices, profileHint, profileOf, readsGateways } from '../profiles.ts';
import type { Loaded } from '../schema.ts';
import { addressesIn } from './brokerAddresses.ts';
import { under, wrong } from './checks.ts';
import { DEVICE_EXAMPLE } from './deviceEntries.ts';
import { deviceProblems, missingIds } from './deviceRules.ts';
import type { Problem } from './mistake.ts';

/**
 * Input of the rules besides the settings: problems of single settings, the working folder, and whether a
 * device is required.
 */
export type Context = {
  readonly found: readonly Problem[];
  readonly cwd: string;
  readonly needDevices: boolean;
};

/** A rule over several settings. It applies only if each setting that it reads is valid. */
type Rule = { readonly reads: readonly string[]; readonly find: (settings: Loaded, context: Context) => readonly Problem[] };

/** The entries of a list that name profiles which are not there. */
const unknownProfiles = (
  key: string,
  profiles: Loaded['schedules']['profiles'],
  entries: readonly string[],
  namesIn: (entry: string) => readonly string[],
): readonly Problem[] => {
  const known = new Set(profiles.map(([name]) => name));
  const allowed = known.size > 0 ? [...known].join(', ') : 'none: schedules.profiles is empty';
  return entries.flatMap((entry, index) => {
    const missing = namesIn(entry).filter((name) => !known.has(name));
    const what = `names profiles that are not in schedules.profiles: ${missing.join(', ')}`;
    return missing.length > 0 ? under([...key.split('.'), index], wrong('contradiction', what, allowed)) : [];
  });
};

const TLS_PROTOCOLS: readonly string[] = ['mqtts:', 'wss:', 'ssl:'];

type Row = readonly [isBroken: boolean, key: string, what: string, allowed: string];

const broken = (...rows: readonly Row[]): readonly Problem[] =>
  rows.flatMap(([isBroken, key, what, allowed]) => (isBroken ? under(key.split('.'), wrong('contradiction', what, allowed)) : []));

const certificates = ({ mqtt: { url, ca, cert, key } }: Loaded): readonly Problem[] => {
  const isPlain = addressesIn(url).some((address) => !TLS_PROTOCOLS.includes(new URL(address).protocol));
  const withoutTls = ['is set, but mqtt.url does not use TLS', 'only with mqtts:// or wss:// in mqtt.url'] as const;
  return broken(
    [cert !== null && key === null, 'mqtt.cert', 'is set without mqtt.key', 'both or neither'],
    [key !== null && cert === null, 'mqtt.key', 'is set without mqtt.cert', 'both or neither'],
    [isPlain && ca !== null, 'mqtt.ca', ...withoutTls],
    [isPlain && cert !== null, 'mqtt.cert', ...withoutTls],
    [isPlain && key !== null, 'mqtt.key', ...withoutTls],
  );
};

const credentials = ({ mqtt: { url, username, password } }: Loaded): readonly Problem[] => {
  const inUrls = addressesIn(url).map((address) => new URL(address));
  const namesUser = inUrls.some((inUrl) => inUrl.username !== '');
  const holdsPassword = inUrls.some((inUrl) => inUrl.password !== '');
  const lacksUser = inUrls.some((inUrl) => (password ?? inUrl.password) !== '' && (username ?? inUrl.username) === '');
  return broken(
    [username !== null && namesUser, 'mqtt.username', 'is set, but mqtt.url also contains a user name', 'only one of them'],
    [password !== null && holdsPassword, 'mqtt.password', 'is set, but mqtt.url also contains a password', 'only one of them'],
    // MQTT 3.1.1 (3.1.2.9) forbids a password without a user name.
    [lacksUser, 'mqtt.password', 'is set without mqtt.username', 'both, or only the user name'],
  );
};

const readable = (name: 'ca' | 'cert' | 'key'): Rule => ({
  reads: [`mqtt.${name}`],
  find: ({ mqtt }, { cwd }) => {
    const file = mqtt[name];
    const bytes = file === null ? '' : readBytes(resolve(cwd, file));
    if (file === null || typeof bytes !== 'string') return [];
    return under(['mqtt', name], wrong('unreadable', `names a file that cannot be read: ${file} (${bytes})`, 'a PEM file'));
  },
});

/** Addresses are secrets: the problem does not show them. */
const unencrypted = (key: string, { allow_private: allowed }: { readonly allow_private: boolean }, text: string | null) => {
  const isHttp = /(?:^|\s)http:/i.test(text ?? '');
  return broken([isHttp && !allowed, key, `contains an http: address, which needs ${key.split('.')[0]}.allow_private`, 'https: addresses']);
};

/** Why the profile is v1 although it was not set. */
const whyV1 = ({ platform }: Loaded): string =>
  profileHint(platform) === undefined
    ? ''
    : ' (platform.base_url without platform.profile means v1; for the live service write profile: v2)';

const required = (key: 'base_url' | 'auth_url' | 'client_id', hint: string | ((platform: Loaded['platform']) => string)): Rule => ({
  reads: ['platform.profile', 'platform.base_url', `platform.${key}`],
  find: (settings) => {
    const { platform } = settings;
    if ({ ...platform, ...addressesOf(platform) }[key] !== '') return [];
    return under(
      ['platform', key],
      wrong('required', `is missing. ${typeof hint === 'string' ? hint : hint(platform)}${key === 'auth_url' ? whyV1(settings) : ''}`),
    );
  },
});

const addressNeeded = (what: string, host: string): string =>
  `Profile v1 needs the address of the ${what}, such as https://${host}.example.com; see the documentation of your platform`;

const RULES: readonly Rule[] = [
  required('base_url', addressNeeded('API', 'api')),
  required('auth_url', addressNeeded('login', 'iam')),
  required('client_id', (platform) => {
    const where = profileOf(platform) === 'v2' ? `at ${DEVELOPER_PORTAL}` : "on your platform's developer page";
    return `Create a client ${where}, with ${platform.redirect_uri} as its redirect URI, and put its id here.`;
  }),
  {
    reads: ['platform.quota.per_day', 'platform.quota.reserve_for_commands'],
    find: ({ platform: { quota } }) => {
      const what = `${quota.reserve_for_commands} leaves no calls for reading`;
      const allowed = `less than platform.quota.per_day (${quota.per_day})`;
      return broken([quota.reserve_for_commands >= quota.per_day, 'platform.quota.reserve_for_commands', what, allowed]);
    },
  },
  { reads: ['mqtt.url', 'mqtt.ca', 'mqtt.cert', 'mqtt.key'], find: certificates },
  { reads: ['mqtt.url', 'mqtt.username', 'mqtt.password'], find: credentials },
  {
    reads: ['mqtt.base', 'homeassistant.prefix', 'homeassistant.discovery'],
    find: ({ mqtt: { base }, homeassistant: { discovery, prefix } }) =>
      broken([
        discovery !== 'off' && base === prefix,
        'mqtt.base',
        `"${base}" is also homeassistant.prefix`,
        'another topic, such as heating2mqtt',
      ]),
  },
  {
    reads: ['platform.profile', 'platform.base_url', 'platform.read', 'platform.paths.gateway_all'],
    find: ({ platform }) => {
      const isBroken = platform.read === 'gateway' && !readsGateways(platform);
      return broken([isBroken, 'platform.read', 'is gateway, but profile v1 has no path for it', 'auto, device or feature']);
    },
  },
  {
    reads: ['history.days', 'schedules.seasons'],
    find: ({ history: { days }, schedules: { seasons } }) => {
      const needsMean = seasons.map(readSeasonSetting).some((one) => typeof one !== 'string' && one.rule.by === 'outside');
      const what = `${days} is too short for the mean outside temperature that schedules.seasons needs`;
      return broken([needsMean && days < DAYS_TO_KEEP, 'history.days', what, `${DAYS_TO_KEEP} or more`]);
    },
  },
  {
    reads: ['schedules.profiles', 'schedules.seasons'],
    find: ({ schedules: { profiles, seasons } }) =>
      unknownProfiles('schedules.seasons', profiles, seasons, (text) => {
        const read = readSeasonSetting(text);
        return typeof read === 'string' ? [] : Object.values(read.profiles);
      }),
  },
  {
    reads: ['schedules.seasons'],
    find: ({ schedules: { seasons } }) => {
      const places = seasons.map(readSeasonSetting).map((one) => (typeof one === 'string' ? one : `${one.device} ${one.feature}`));
      return places.flatMap((place, index) => {
        const what = `is a second entry for the schedule ${place}`;
        const isFirst = places.indexOf(place) === index;
        return isFirst ? [] : under(['schedules', 'seasons', index], wrong('contradiction', what, 'one entry for each schedule'));
      });
    },
  },
  {
    reads: ['schedules.profiles', 'calendar.rules'],
    find: ({ schedules: { profiles }, calendar: { rules } }) =>
      unknownProfiles('calendar.rules', profiles, rules, (text) => {
        const read = readRule(text);
        return typeof read !== 'string' && read.effect.kind === 'profile' ? [read.effect.name] : [];
      }),
  },
  {
    reads: ['web.port', 'web.ingress'],
    find: ({ web: { port, ingress } }) => broken([port === ingress, 'web.ingress', `${ingress} is also web.port`, 'another port']),
  },
  {
    reads: ['calendar.addresses', 'calendar.allow_private'],
    find: ({ calendar }) => unencrypted('calendar.addresses', calendar, calendar.addresses),
  },
  { reads: ['prices.url', 'prices.allow_private'], find: ({ prices }) => unencrypted('prices.url', prices, prices.url) },
  { reads: ['platform.profile', 'platform.base_url', 'platform.paths.installations'], find: missingIds },
  { reads: ['platform.read', 'platform.profile', 'platform.base_url', 'platform.paths.installations'], find: deviceProblems },
  ...(['ca', 'cert', 'key'] as const).map(readable),
  {
    reads: ['platform.profile', 'platform.base_url', 'devices'],
    find: (settings, { needDevices }) =>
      needDevices && settings.devices.length === 0 && !findsDevices(settings.platform)
        ? under(['devices'], wrong('required', `is missing: list at least one device to read${whyV1(settings)}`, DEVICE_EXAMPLE))
        : [],
  },
];

/** Contradictions between valid settings, missing required settings, and unreadable files. */
export const contradictions = (settings: Loaded, wrongKeys: ReadonlySet<string>, context: Context): readonly Problem[] =>
  RULES.filter(({ reads }) => !reads.some((key) => wrongKeys.has(key))).flatMap(({ find }) => find(settings, context));
