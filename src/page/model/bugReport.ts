import { jsonObject } from '../../shared/json.ts';
import { bridgeTopic } from '../../topics/topicNames.ts';
import type { Device, Topics } from './device.ts';

/** What a report of a mistake is made of. */
type Reported = {
  readonly topics: Topics;
  readonly base: string;
  readonly version: string;
  /** System and Node of the bridge. */
  readonly platform: string;
  readonly browser: string;
  readonly devices: readonly Device[];
  readonly log: readonly { readonly at: string; readonly level: string; readonly message: string }[];
};

const MOST_LINES = 100;
/** Parts of `bridge/info` that the first lines say, or that name the home. */
const ELSEWHERE = new Set(['version', 'devices']);

/**
 * What people must not publish, and what names a home. The bridge writes no secret; others can send one back in a message, and people paste
 * one into a place that is none.
 */
const HIDDEN: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/giu, '$1 …'],
  // A JSON Web Token.
  [/\beyJ[\w-]{8,}(?:\.[\w-]*)*/gu, '…'],
  [/([?&](?:code|state|code_verifier|access_token|refresh_token|token)=)[^\s"&)]+/giu, '$1…'],
  [/\b(\w*(?:password|passwd|secret|token)\\?["']?\s*[:=]\s*\\?["']?)(?![/…"'\\])[^\s"',;)}\\]{4,}/giu, '$1…'],
  [/(:\/\/)[^\s/@"]*@/gu, '$1…@'],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/gu, '…@…'],
  // Numbers of gateways and the like: their last four digits are enough to tell them apart.
  [/\d{8,}(?=\d{4}(?!\d))/gu, '…'],
];

const withoutSecrets = (text: string): string => HIDDEN.reduce((shown, [pattern, instead]) => shown.replace(pattern, instead), text);

/** The text for a bug report: version, system, settings without secrets, quota, health, the last lines of the log. */
export const bugReport = ({ topics, base, version, platform, browser, devices, log }: Reported): string => {
  const topic = (leaf: string): Readonly<Record<string, unknown>> => jsonObject(topics.get(bridgeTopic(base, leaf)) ?? '') ?? {};
  const block = (title: string, value: object): string => `${title}\n${JSON.stringify(value, undefined, 2)}`;
  const info = Object.fromEntries(Object.entries(topic('info')).filter(([key]) => !ELSEWHERE.has(key)));
  const { state = 'unknown' } = topic('auth');
  const listed = devices.map(
    ({ model = '?', features, isOnline }) => `- ${model}, ${features.size} features${isOnline ? '' : ', offline'}`,
  );
  const lines = log.slice(-MOST_LINES).map(({ at, level, message }) => `${at} ${level} ${message}`);
  const text = [
    [`heating2mqtt ${version}`, `Bridge: ${platform}`, `Browser: ${browser}`, `Login: ${String(state)}`].join('\n'),
    ['Devices', ...listed].join('\n'),
    block('Settings', info),
    block('Quota', topic('quota')),
    block('Health', topic('health')),
    ['Log', ...lines].join('\n'),
  ].join('\n\n');
  return `${withoutSecrets(text)}\n`;
};
