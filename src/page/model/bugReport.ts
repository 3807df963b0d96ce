import { jsonObject } from '../../shared/json.ts';
import { printable } from '../../shared/log.ts';
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
/** A description on GitHub has at most 65,536 characters; people write some of them. */
const MOST_CHARACTERS = 60_000;
const LONGEST_MODEL = 60;
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
  [/\b(\w*(?:passwor[dt]|passwd|secret|token)\\?["']?\s*[:=]\s*\\?)(["'])(?![/…])[^"'\\]+/giu, '$1$2…'],
  [/\b(\w*(?:passwor[dt]|passwd|secret|token)\\?["']?\s*[:=]\s*\\?["']?)(?![/…"'\\])[^\s"',;)}\\]{4,}/giu, '$1…'],
  [/(:\/\/)[^\s/@"]*@/gu, '$1…@'],
  [/[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/gu, '…@…'],
  // Numbers of gateways and the like: their last four digits are enough to tell them apart.
  [/\d{8,}(?=\d{4}(?!\d))/gu, '…'],
];

const withoutSecrets = (text: string): string => HIDDEN.reduce((shown, [pattern, instead]) => shown.replace(pattern, instead), text);

/** As a block of Markdown that nothing in it can end, so that no name makes a link, a mention or markup of itself. */
const fenced = (text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}\n`;
};

/** As many of the last lines as have room. */
const newest = (lines: readonly string[], most: number): readonly string[] => {
  let left = most;
  const before = lines.findLastIndex((line) => {
    left -= line.length + 1;
    return left < 0;
  });
  return lines.slice(before + 1);
};

/** The text for a bug report, in Markdown: version, system, settings without secrets, quota, health, the last lines of the log. */
export const bugReport = ({ topics, base, version, platform, browser, devices, log }: Reported): string => {
  const topic = (leaf: string): Readonly<Record<string, unknown>> => jsonObject(topics.get(bridgeTopic(base, leaf)) ?? '') ?? {};
  const block = (title: string, value: object): readonly string[] => ['', title, ...JSON.stringify(value, undefined, 2).split('\n')];
  const info = Object.fromEntries(Object.entries(topic('info')).filter(([key]) => !ELSEWHERE.has(key)));
  const { state = 'unknown' } = topic('auth');
  const listed = devices.map(
    ({ model = '?', features, isOnline }) => `- ${model.slice(0, LONGEST_MODEL)}, ${features.size} features${isOnline ? '' : ', offline'}`,
  );
  const facts = [
    ...[`heating2mqtt ${version}`, `Bridge: ${platform}`, `Browser: ${browser}`, `Login: ${String(state)}`],
    ...['', 'Devices', ...listed],
    ...[...block('Settings', info), ...block('Quota', topic('quota')), ...block('Health', topic('health'))],
    ...['', 'Log'],
  ];
  const lines = log.slice(-MOST_LINES).map(({ at, level, message }) => `${at} ${level} ${message}`);
  const shown = (all: readonly string[]): string => withoutSecrets(all.map(printable).join('\n'));
  const begin = shown(facts).slice(0, MOST_CHARACTERS / 2);
  return fenced(
    [
      begin,
      ...newest(
        lines.map((line) => shown([line])),
        MOST_CHARACTERS - begin.length,
      ),
    ].join('\n'),
  );
};
