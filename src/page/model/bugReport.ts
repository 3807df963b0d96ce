import { jsonObject } from '../../shared/json.ts';
import { printable } from '../../shared/log.ts';
import { bridgeTopic } from '../../topics/topicNames.ts';
import type { Device, Topics } from './device.ts';

/** The input of a bug report. */
type Reported = {
  readonly topics: Topics;
  readonly base: string;
  readonly version: string;
  /** The bridge's operating system and Node version. */
  readonly platform: string;
  readonly browser: string;
  readonly devices: readonly Device[];
  readonly log: readonly { readonly at: string; readonly level: string; readonly message: string }[];
};

const MOST_LINES = 100;
/** GitHub limits a description to 65,536 characters; the user needs some of them. */
const MOST_CHARACTERS = 60_000;
const LONGEST_MODEL = 60;
/** Parts of `bridge/info` that are in the first lines or identify the home. */
const ELSEWHERE = new Set(['version', 'devices']);

/**
 * Secrets, and data that identifies a home. The bridge writes no secrets, but remote messages can echo them,
 * and users may paste them into the wrong field.
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
  // Gateway serial numbers and similar: the last four digits are enough to distinguish them.
  [/\d{8,}(?=\d{4}(?!\d))/gu, '…'],
];

const withoutSecrets = (text: string): string => HIDDEN.reduce((shown, [pattern, instead]) => shown.replace(pattern, instead), text);

/** A Markdown code block that its content cannot end, so names cannot form links, mentions or markup. */
const fenced = (text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}\n`;
};

/** As many of the last lines as fit. */
const newest = (lines: readonly string[], most: number): readonly string[] => {
  let left = most;
  const before = lines.findLastIndex((line) => {
    left -= line.length + 1;
    return left < 0;
  });
  return lines.slice(before + 1);
};

/** The bug report in Markdown: version, system, settings without secrets, quota, health, last log lines. */
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
