import { isAbsolute, resolve } from 'node:path';
import { nearestWords } from '../shared/closestMatch.ts';
import { PlainFileError, readPlainFile } from '../shared/plainFile.ts';
import { MOST_BYTES } from './file.ts';
import { LEAVES, type Leaf } from './leaves.ts';
import { SCHEMA } from './schema.ts';
import type { Mistake } from './validation/mistake.ts';

/** The environment, or a part of it. */
export type Env = Readonly<Record<string, string | undefined>>;

/** What the environment says of the settings: variables with their text, those of secret files filled in. */
export type Environment = {
  readonly values: Readonly<Record<string, string>>;
  /** The variable that decides a setting; undefined where none is set. */
  readonly variableOf: (leaf: Leaf) => string | undefined;
  readonly mistakes: readonly Mistake[];
};

const PREFIX = 'HEATING2MQTT_';
const SECTIONS = Object.keys(SCHEMA).map((section) => `${section.toUpperCase()}_`);

// Kubernetes and Docker describe a service named heating2mqtt to every container in such variables.
const isServiceLink = (name: string, value: string): boolean =>
  /_SERVICE_(?:HOST|PORT)|_PORT_\d+_(?:TCP|UDP)/.test(name) || /^(?:tcp|udp):\/\//.test(value);

const variables = LEAVES.flatMap(({ setting }) => (setting.sensitive ? [setting.env, `${setting.env}_FILE`] : [setting.env]));

/** A variable that only looks like ours is left alone, unless a section or a near name shows what was meant. */
const unknownVariable = (name: string, value: string): readonly Mistake[] => {
  if (!name.startsWith(PREFIX) || variables.includes(name) || isServiceLink(name, value)) return [];
  const rest = name.slice(PREFIX.length);
  const about = { place: name, path: [] };
  const near = nearestWords(
    rest,
    variables.map((variable) => variable.slice(PREFIX.length)),
  );
  if (near.length === 0 && !SECTIONS.some((section) => rest.startsWith(section))) return [];
  return [{ ...about, rule: 'unknown', what: 'there is no such setting', nearest: near.map((word) => PREFIX + word) }];
};

const readSecret = (leaf: Leaf, env: Env, cwd: string): { text: string } | Mistake | undefined => {
  const variable = `${leaf.setting.env}_FILE`;
  const file = env[variable];
  if (!leaf.setting.sensitive || !file) return undefined;
  const about = { place: variable, path: leaf.path };
  if (env[leaf.setting.env]) return { ...about, rule: 'both', what: `is set and ${leaf.setting.env} too`, allowed: 'one of them' };
  try {
    const text = readPlainFile(resolve(cwd, file), MOST_BYTES)
      .toString('utf8')
      .replace(/\r?\n$/, '');
    return text === '' ? { ...about, rule: 'empty', what: `names an empty file (${file})` } : { text };
  } catch (error) {
    const why = error instanceof PlainFileError ? error.message : error instanceof Error && 'code' in error ? error.code : 'unknown reason';
    // It may be the secret itself, written into the wrong variable.
    const name = isAbsolute(file) ? `: ${file}` : '';
    return { ...about, rule: 'unreadable', what: `names a file that cannot be read${name} (${why})`, allowed: 'the path of a file' };
  }
};

/** Reads what the environment says of the settings. An empty variable counts as not set; mistakes are given back, not thrown. */
export const readEnvironment = (env: Env, cwd: string): Environment => {
  const values: Record<string, string> = {};
  const mistakes = Object.entries(env).flatMap(([name, value]) => (value ? unknownVariable(name, value) : []));
  const secretFiles = new Set<string>();
  for (const leaf of LEAVES) {
    const plain = env[leaf.setting.env];
    const secret = readSecret(leaf, env, cwd);
    if (secret && 'text' in secret) {
      values[leaf.setting.env] = secret.text;
      secretFiles.add(leaf.key);
    } else if (secret) mistakes.push(secret);
    else if (plain) values[leaf.setting.env] = plain;
  }
  const variableOf = ({ key, setting }: Leaf): string | undefined =>
    values[setting.env] === undefined ? undefined : `${setting.env}${secretFiles.has(key) ? '_FILE' : ''}`;
  return { values, variableOf, mistakes };
};
