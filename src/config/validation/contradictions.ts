import { resolve } from 'node:path';
import { readBytes } from '../file.ts';
import { addressesOf, readsGateways } from '../profiles.ts';
import type { Loaded } from '../schema.ts';
import { deviceProblems, missingIds } from './deviceRules.ts';
import type { Path, Problem } from './mistake.ts';

/** A rule over several settings. It is applied only where each setting that it reads is right in itself. `found`: problems of the settings. */
type Rule = {
  readonly reads: readonly string[];
  readonly find: (settings: Loaded, found: readonly Problem[], cwd: string) => readonly Problem[];
};

const TLS_PROTOCOLS: readonly string[] = ['mqtts:', 'wss:', 'ssl:'];

const required = (key: string, isMissing: (settings: Loaded) => boolean, hint: string): Rule => ({
  reads: ['platform.profile', key],
  find: (settings) => (isMissing(settings) ? [{ path: key.split('.'), rule: 'required', what: `is missing: ${hint}` }] : []),
});

const contradiction = (path: Path, what: string, allowed: string): Problem => ({ path, rule: 'contradiction', what, allowed });

const certificates = ({ mqtt }: Loaded): readonly Problem[] => {
  const problems: Problem[] = [];
  if (mqtt.cert !== null && mqtt.key === null) problems.push(contradiction(['mqtt', 'cert'], 'is set without mqtt.key', 'both or none'));
  if (mqtt.key !== null && mqtt.cert === null) problems.push(contradiction(['mqtt', 'key'], 'is set without mqtt.cert', 'both or none'));
  if (TLS_PROTOCOLS.includes(new URL(mqtt.url).protocol)) return problems;
  for (const name of ['ca', 'cert', 'key'] as const) {
    if (mqtt[name] !== null) {
      problems.push(contradiction(['mqtt', name], 'is set, but mqtt.url is without TLS', 'with it, a mqtt.url of mqtts:// or wss://'));
    }
  }
  return problems;
};

const credentials = ({ mqtt }: Loaded): readonly Problem[] => {
  const url = new URL(mqtt.url);
  const problems: Problem[] = [];
  if (url.username !== '' && mqtt.username !== null) {
    problems.push(contradiction(['mqtt', 'username'], 'is set, and mqtt.url names a user too', 'one of them'));
  }
  if (url.password !== '' && mqtt.password !== null) {
    problems.push(contradiction(['mqtt', 'password'], 'is set, and mqtt.url holds a password too', 'one of them'));
  }
  // MQTT 3.1.1 (3.1.2.9) forbids a password without a user name.
  if (url.username === '' && mqtt.username === null && (mqtt.password !== null || url.password !== '')) {
    problems.push(contradiction(['mqtt', 'password'], 'is set without mqtt.username', 'both, or a user name alone'));
  }
  return problems;
};

const readable = (name: 'ca' | 'cert' | 'key'): Rule => ({
  reads: [`mqtt.${name}`],
  find: ({ mqtt }, _, cwd) => {
    const file = mqtt[name];
    const bytes = file === null ? '' : readBytes(resolve(cwd, file));
    if (file === null || typeof bytes !== 'string') return [];
    const what = `names a file that cannot be read: ${file} (${bytes})`;
    return [{ path: ['mqtt', name], rule: 'unreadable', what, allowed: 'a PEM file' }];
  },
});

const RULES: readonly Rule[] = [
  required(
    'platform.base_url',
    ({ platform }) => addressesOf(platform).base_url === '',
    'with profile v1 the address of the API is needed, as https://api.example.com; it stands in the documentation of your platform',
  ),
  required(
    'platform.auth_url',
    ({ platform }) => addressesOf(platform).auth_url === '',
    'with profile v1 the address of the login is needed, as https://iam.example.com; it stands in the documentation of your platform',
  ),
  required(
    'platform.client_id',
    ({ platform }) => platform.client_id === '',
    "register a client on your platform's developer page, with platform.redirect_uri as its redirect address, and write its id here",
  ),
  {
    reads: ['platform.quota.per_day', 'platform.quota.reserve_for_commands'],
    find: ({ platform: { quota } }) =>
      quota.reserve_for_commands < quota.per_day
        ? []
        : [
            contradiction(
              ['platform', 'quota', 'reserve_for_commands'],
              `${quota.reserve_for_commands} leaves no call for reading`,
              `less than platform.quota.per_day (${quota.per_day})`,
            ),
          ],
  },
  { reads: ['mqtt.url', 'mqtt.ca', 'mqtt.cert', 'mqtt.key'], find: certificates },
  { reads: ['mqtt.url', 'mqtt.username', 'mqtt.password'], find: credentials },
  {
    reads: ['mqtt.base', 'homeassistant.prefix', 'homeassistant.discovery'],
    find: ({ mqtt, homeassistant }) =>
      homeassistant.discovery !== 'off' && mqtt.base === homeassistant.prefix
        ? [contradiction(['mqtt', 'base'], `"${mqtt.base}" is homeassistant.prefix too`, 'another topic, as heating2mqtt')]
        : [],
  },
  {
    reads: ['platform.profile', 'platform.read', 'platform.paths.gateway_all'],
    find: ({ platform }) =>
      platform.read === 'gateway' && !readsGateways(platform)
        ? [contradiction(['platform', 'read'], 'is gateway, and profile v1 has no path for it', 'auto, device or feature')]
        : [],
  },
  { reads: ['platform.profile', 'platform.paths.installations'], find: missingIds },
  { reads: ['platform.read', 'platform.profile', 'platform.paths.installations'], find: deviceProblems },
  readable('ca'),
  readable('cert'),
  readable('key'),
];

/** What settings break together, each of them right in itself, required settings that are missing, and files that cannot be read. */
export const contradictions = (
  settings: Loaded,
  found: readonly Problem[],
  wrongKeys: ReadonlySet<string>,
  cwd: string,
): readonly Problem[] =>
  RULES.filter(({ reads }) => !reads.some((key) => wrongKeys.has(key))).flatMap(({ find }) => find(settings, found, cwd));
