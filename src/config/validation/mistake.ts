import { UsageError } from '../../shared/errors.ts';
import type { Issue } from '../../shared/issue.ts';

/** The position of a setting in the tree: `['devices', 0, 'features']`. */
export type Path = readonly (string | number)[];

/** The rules of settings; the page has a German text for each. */
export type SettingRule =
  | (
      | 'address'
      | 'both'
      | 'choice'
      | 'command'
      | 'contradiction'
      | 'currency'
      | 'duplicate'
      | 'empty'
      | 'feature'
      | 'fixed'
      | 'host'
      | 'length'
    )
  | ('max' | 'min' | 'name' | 'network' | 'no_keys' | 'order' | 'origin' | 'password' | 'path' | 'port' | 'required' | 'reserved')
  | ('calendar_rule' | 'season' | 'syntax')
  | ('text' | 'topic' | 'twice' | 'type' | 'unknown' | 'unreadable' | 'unreadable_file' | 'url' | 'utf8' | 'whole' | 'window' | 'zone');

/** A broken rule of a setting, before its place in the file or the environment is known. */
export type Problem = {
  readonly path: Path;
  /** For a stored week, the rule of weeks. */
  readonly rule: string;
  /** The beginning of the text after the key: `is missing`, `"x" is not a number`. */
  readonly what: string;
  readonly allowed?: string | undefined;
  readonly nearest?: readonly string[];
  /** For a stored week: the broken rule with its facts. */
  readonly issue?: Issue;
};

/** A problem with its place: `config/local.yaml, line 12`, or the name of an environment variable. */
export type Mistake = Problem & { readonly place: string };

export const located = (problems: readonly Problem[], placeOf: (path: Path) => string): readonly Mistake[] =>
  problems.map((problem) => ({ ...problem, place: placeOf(problem.path) }));

/** A key without a possible secret: YAML reads `password:secret`, without a space, as one key. */
export const shownKey = (key: string): string => key.replace(/([:=]).+$/s, '$1…');

/** A readable path: `devices[0].features`. */
export const keyText = (path: Path): string =>
  path.map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i === 0 ? '' : '.'}${shownKey(key)}`)).join('');

/** `what; nearest: …; allowed: …` */
export const sentenceOf = ({ what, nearest = [], allowed }: Problem): string =>
  [what, ...(nearest.length > 0 ? [`nearest: ${nearest.join(', ')}`] : []), ...(allowed === undefined ? [] : [`allowed: ${allowed}`])].join(
    '; ',
  );

/** A text that begins with a verb and continues after the key: `is missing`, `cannot be read`. */
const BEGINS_WITH_VERB = /^(?:[a-z]+s|cannot) /;

/** `file, line 2: key is missing` or `file, line 2: key: "x" is wrong`; no key for a whole file. */
export const toIssue = (mistake: Mistake): Issue => {
  const { place, path, rule, nearest = [], allowed } = mistake;
  const key = keyText(path);
  const sentence = sentenceOf(mistake);
  const ofKey = key === '' ? sentence : `${key}${BEGINS_WITH_VERB.test(sentence) ? '' : ':'} ${sentence}`;
  const ofFile = key === '' && BEGINS_WITH_VERB.test(sentence) ? `${place} ${sentence}` : `${place}: ${ofKey}`;
  return { path: key, rule, message: place === '' ? ofKey : ofFile, allowed, nearest };
};

/** All mistakes in the settings: one line each in the message, and issues by setting key. */
export class SettingsError extends UsageError {
  readonly issues: readonly Issue[];
  constructor(mistakes: readonly Mistake[], advice: string) {
    const issues = mistakes.map(toIssue);
    const head = issues.length === 1 ? 'One mistake in the settings:' : `${issues.length} mistakes in the settings:`;
    super('settings', [head, ...issues.map(({ message }) => `  ${message}`), advice].join('\n'));
    this.issues = issues;
  }
}
