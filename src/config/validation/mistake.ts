import { UsageError } from '../../shared/errors.ts';
import type { Issue } from '../../shared/issue.ts';

/** Where a setting stands in the tree: `['devices', 0, 'features']`. */
export type Path = readonly (string | number)[];

/** The rules of settings; the page says each in German too. */
export type SettingRule =
  | ('address' | 'both' | 'choice' | 'command' | 'contradiction' | 'duplicate' | 'empty' | 'feature' | 'fixed' | 'host' | 'length')
  | ('max' | 'min' | 'name' | 'network' | 'no_keys' | 'order' | 'origin' | 'password' | 'path' | 'required' | 'reserved')
  | ('calendar_rule' | 'season' | 'syntax')
  | ('text' | 'topic' | 'twice' | 'type' | 'unknown' | 'unreadable' | 'unreadable_file' | 'url' | 'utf8' | 'whole' | 'window' | 'zone');

/** A broken rule of a setting, before its place in the file or the environment is known. */
export type Problem = {
  readonly path: Path;
  /** Of a stored week its own rule. */
  readonly rule: string;
  /** The first words of the sentence that follows the key: `is missing`, `"x" is not a number`. */
  readonly what: string;
  readonly allowed?: string | undefined;
  readonly nearest?: readonly string[];
  /** Of a stored week: the rule of weeks that it breaks, with its facts. */
  readonly issue?: Issue;
};

/** A problem with its place: `config/local.yaml, line 12`, or the name of an environment variable. */
export type Mistake = Problem & { readonly place: string };

export const located = (problems: readonly Problem[], placeOf: (path: Path) => string): readonly Mistake[] =>
  problems.map((problem) => ({ ...problem, place: placeOf(problem.path) }));

/** A key without a possible secret: YAML reads `password:secret`, without a space, as one key. */
export const shownKey = (key: string): string => key.replace(/([:=]).+$/s, '$1…');

/** A path as people write it: `devices[0].features`. */
export const keyText = (path: Path): string =>
  path.map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i === 0 ? '' : '.'}${shownKey(key)}`)).join('');

/** `what; nearest: …; allowed: …` */
export const sentenceOf = ({ what, nearest = [], allowed }: Problem): string =>
  [what, ...(nearest.length > 0 ? [`nearest: ${nearest.join(', ')}`] : []), ...(allowed === undefined ? [] : [`allowed: ${allowed}`])].join(
    '; ',
  );

/** A sentence that begins with a verb, and goes on behind the key: `is missing`, `names a file that cannot be read`. */
const GOES_ON = /^[a-z]+s /;

/** `file, line 2: key is missing`, or `file, line 2: key: "x" is wrong`; without the key where a whole file is meant. */
export const toIssue = (mistake: Mistake): Issue => {
  const { place, path, rule, nearest = [], allowed } = mistake;
  const key = keyText(path);
  const sentence = sentenceOf(mistake);
  const ofKey = key === '' ? sentence : `${key}${GOES_ON.test(sentence) ? '' : ':'} ${sentence}`;
  const ofFile = key === '' && GOES_ON.test(sentence) ? `${place} ${sentence}` : `${place}: ${ofKey}`;
  return { path: key, rule, message: place === '' ? ofKey : ofFile, allowed, nearest };
};

/** Every mistake in the settings at once: a line each in the message, and as issues whose path is the setting's key. */
export class SettingsError extends UsageError {
  readonly issues: readonly Issue[];
  constructor(mistakes: readonly Mistake[], advice: string) {
    const issues = mistakes.map(toIssue);
    const head = issues.length === 1 ? 'One mistake in the settings:' : `${issues.length} mistakes in the settings:`;
    super('settings', [head, ...issues.map(({ message }) => `  ${message}`), advice].join('\n'));
    this.issues = issues;
  }
}
