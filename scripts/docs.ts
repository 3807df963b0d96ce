/** Writes what the documentation takes from the code: `npm run docs`. A unit test fails where something is stale. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { statesMarkdown } from '../src/bridge/publish/status/bridgeStates.ts';
import { exampleYaml, settingRows, settingsSchema } from '../src/config/documentation.ts';
import { RULES } from '../src/shared/issue.ts';
import { REFUSALS, STATUSES } from '../src/topics/resultPayload.ts';
import { MOST_BODY_BYTES } from '../src/web/http/body.ts';
import { HEADER_BYTES, TIMEOUTS } from '../src/web/listen.ts';
import { MOST_STREAMS } from '../src/web/live/streams.ts';
import { MOST_OF_ALL, MOST_OF_ONE } from '../src/web/security/connectionLimit.ts';
import { BURST, PER_SECOND } from '../src/web/security/limits.ts';
import { writersMarkdown } from './writersTable.ts';

/** A file, or with a marker the part of it between `<!-- marker:begin -->` and `<!-- marker:end -->`, that is made from the code. */
export type Generated = { readonly file: string; readonly marker?: string; readonly generate: () => string };

/** A Markdown table of words with a sentence each. */
const wordsTable = (head: string, words: Readonly<Record<string, string>>): string =>
  [`| ${head} | means |`, '| --- | --- |', ...Object.entries(words).map(([word, sentence]) => `| \`${word}\` | ${sentence} |`)].join('\n');

const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text: string): string => (text === '' || text.startsWith('required') || text === 'not set' ? text : `\`${cell(text)}\``);

/** Every setting as a Markdown table. */
export const settingsTable = (): string =>
  [
    '| Setting | Default | Environment variable | Meaning |',
    '|---|---|---|---|',
    ...settingRows().map(({ name, default: value, env, meaning }) => `| \`${name}\` | ${code(value)} | ${code(env)} | ${cell(meaning)} |`),
  ].join('\n');

/** The bounds of the page, in a sentence each. */
const webLimits = (): string =>
  [
    `A request has ${MOST_BODY_BYTES / 1024} KiB at most, its headers ${HEADER_BYTES / 1024} KiB; it has ${TIMEOUTS.requestMs / 1000} seconds, its headers ${TIMEOUTS.headersMs / 1000} (looked at each ${TIMEOUTS.checkMs / 1000}).`,
    `There are ${MOST_OF_ALL} connections, of one address or IPv6 network ${MOST_OF_ONE} that have not shown a login, ${MOST_STREAMS} streams, and ${PER_SECOND} requests a second for each client (${BURST} at once).`,
  ].join(' ');

export const GENERATED: readonly Generated[] = [
  { file: 'config/example.yaml', generate: exampleYaml },
  { file: 'config/schema.json', generate: settingsSchema },
  { file: 'docs/settings.md', marker: 'settings', generate: settingsTable },
  { file: 'docs/topics.md', marker: 'writers', generate: writersMarkdown },
  { file: 'docs/health.md', marker: 'states', generate: statesMarkdown },
  { file: 'docs/web-access.md', marker: 'limits', generate: webLimits },
  { file: 'docs/errors.md', marker: 'statuses', generate: () => wordsTable('status', STATUSES) },
  { file: 'docs/errors.md', marker: 'refusals', generate: () => wordsTable('code', REFUSALS) },
  { file: 'docs/errors.md', marker: 'rules', generate: () => wordsTable('rule', RULES) },
];

const ROOT = new URL('../', import.meta.url);

/** The text with what lies between the markers replaced. Throws an Error where they are not there exactly once, in order. */
export const replacePart = (text: string, marker: string, part: string): string => {
  const begin = `<!-- ${marker}:begin -->`;
  const end = `<!-- ${marker}:end -->`;
  const [before, rest, ...again] = text.split(begin);
  const [old, after, ...more] = (rest ?? '').split(end);
  if (before === undefined || old === undefined || after === undefined || before.includes(end) || again.length + more.length > 0) {
    throw new Error(`${begin} and ${end} must stand in the file once each, in this order.`);
  }
  return `${before}${begin}\n${part}\n${end}${after}`;
};

/** What each file should hold, by its name. A file with a marker is read first; one that is not written yet, or empty, has no part to fill. */
export const generatedFiles = (
  generated: readonly Generated[],
  read: (file: string) => string | undefined,
): ReadonlyMap<string, string> => {
  const files = new Map<string, string>();
  for (const { file, marker, generate } of generated) {
    const present = files.get(file) ?? read(file);
    if (marker === undefined) files.set(file, generate());
    else if (present) files.set(file, replacePart(present, marker, generate()));
  }
  return files;
};

export const readProjectFile = (file: string): string | undefined => {
  const path = new URL(file, ROOT);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, content] of generatedFiles(GENERATED, readProjectFile)) {
    const stale = readProjectFile(file) !== content;
    if (stale) writeFileSync(new URL(file, ROOT), content);
    console.log(`${file}: ${stale ? 'written' : 'unchanged'}`);
  }
}
