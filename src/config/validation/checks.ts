import { isRecord } from '../../shared/json.ts';
import type { Path, Problem, SettingRule } from './mistake.ts';

/** The parameters of a format, from a row of the schema. */
export type Limits = {
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** A valid value in YAML. */
  readonly example?: string;
  readonly sensitive?: true;
  /** Ids that a path needs. */
  readonly places?: readonly string[];
};

/** Every broken rule of a value, with the path of the wrong part below the value; empty if it is valid. */
export type Check = (value: unknown, limits: Limits) => readonly Problem[];

/** One broken rule of a whole value. */
export const wrong = (rule: SettingRule, what: string, allowed?: string, nearest: readonly string[] = []): readonly Problem[] => [
  { path: [], rule, what, allowed, nearest },
];

/** The broken rules of a part, with paths that start at the whole value. */
export const under = (part: Path, found: readonly Problem[]): readonly Problem[] =>
  found.map((one) => ({ ...one, path: [...part, ...one.path] }));

/** A key that is not in the schema among `siblings`. */
export const unknownKey = (siblings: readonly string[], nearest: readonly string[]): readonly Problem[] =>
  wrong('unknown', 'there is no such setting', siblings.join(', '), nearest);

const LONGEST_SHOWN = 60;

/** Splits a text after the protocol of an address; the protocol is empty if there is none. */
export const atProtocol = (text: string): readonly [protocol: string, rest: string] => {
  const [protocol = ''] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text) ?? [];
  return [protocol, text.slice(protocol.length)];
};

/** A text without possible secrets: user, password, query, fragment, keys and certificates. */
export const withoutSecrets = (text: string): string => {
  if (text.includes('-----BEGIN')) return '-----BEGIN …';
  const [protocol, rest] = atProtocol(text);
  const at = rest.lastIndexOf('@');
  const hasUser = at >= 0 && (protocol !== '' || rest.slice(0, at).includes(':'));
  const host = hasUser ? `…${rest.slice(at)}` : rest;
  return `${protocol}${protocol === '' ? host : host.replace(/([?#]).+$/s, '$1…')}`;
};

/** A value for a message: short, texts and keys passed through `clean`; a sensitive value is hidden. */
export const shown = (value: unknown, { sensitive }: Pick<Limits, 'sensitive'> = {}, clean = withoutSecrets): string => {
  if (sensitive) return 'the value';
  const json = JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'string') return clean(part);
    return isRecord(part) ? Object.fromEntries(Object.entries(part).map(([key, below]) => [clean(key), below])) : part;
  });
  const text = json ?? String(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
};

const CONTROL = /[\p{Cc}&&\p{ASCII}]/v;

/** A text on one line that is not empty. */
export const checkText: Check = (value, limits) => {
  const allowed = limits.example === undefined ? 'text on one line' : `text, such as ${limits.example}`;
  if (typeof value !== 'string') return wrong('type', `${shown(value, limits)} is not a text`, allowed);
  if (value === '') return wrong('empty', 'is empty', allowed);
  if (CONTROL.test(value)) return wrong('text', `${shown(value, limits)} contains a line break or control character`, allowed);
  return value.isWellFormed() ? [] : wrong('text', `${shown(value, limits)} contains an incomplete character`, allowed);
};

/** A one-line text without a broken `rule`; with `sensitive`, an invalid value is hidden. */
export const checkTextBy =
  (rule: (text: string, limits: Limits) => readonly Problem[], hidden: Pick<Limits, 'sensitive'> = {}): Check =>
  (value, limits) => {
    const found = checkText(value, { ...limits, ...hidden });
    return found.length > 0 || typeof value !== 'string' ? found : rule(value, limits);
  };

/** A one-line text that is valid; otherwise the problem has `what` and `allowed`. */
export const checkThat = (isRight: (text: string) => boolean, rule: SettingRule, what: string, allowed: string): Check =>
  checkTextBy((text) => (isRight(text) ? [] : wrong(rule, `${shown(text)} ${what}`, allowed)));

/** A list in which every item passes the check. A problem of an item has the item's index as path. */
export const checkEach =
  (check: Check): Check =>
  (value, limits) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => under([index], check(item, limits)))
      : wrong('type', `${shown(value)} is not a list`, limits.example && `a list, such as ${limits.example}`);
