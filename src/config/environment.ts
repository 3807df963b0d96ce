import { isUtf8 } from 'node:buffer';
import { isAbsolute, resolve } from 'node:path';
import { nearestWords } from '../shared/closestMatch.ts';
import { readBytes } from './file.ts';
import { LEAVES, type Leaf, SCHEMA } from './schema.ts';
import type { Mistake } from './validation/mistake.ts';

/** The environment, or a part of it. */
export type Env = Readonly<Record<string, string | undefined>>;

const PREFIX = 'HEATING2MQTT_';
const SECTIONS = Object.keys(SCHEMA).map((section) => `${section.toUpperCase()}_`);
const VARIABLES = LEAVES.flatMap(({ env, setting }) => (setting.sensitive ? [env, `${env}_FILE`] : [env]));

// Kubernetes and Docker set such variables in every container for a service named heating2mqtt.
const isServiceLink = (name: string, value: string): boolean =>
  /_SERVICE_(?:HOST|PORT)|_PORT_\d+_(?:TCP|UDP)/.test(name) || /^(?:tcp|udp):\/\//.test(value);

/** Reports an unknown variable that names a section or resembles a setting: others may use the prefix. */
const unknownVariable = (name: string, value: string): readonly Mistake[] => {
  if (!name.startsWith(PREFIX) || VARIABLES.includes(name) || isServiceLink(name, value)) return [];
  const rest = name.slice(PREFIX.length);
  const known = VARIABLES.map((variable) => variable.slice(PREFIX.length));
  const nearest = nearestWords(rest, known).map((word) => PREFIX + word);
  if (nearest.length === 0 && !SECTIONS.some((section) => rest.startsWith(section))) return [];
  return [{ place: name, path: [], rule: 'unknown', what: 'there is no such setting', nearest }];
};

/** The text of the file named by `file`, the value of a variable that ends in _FILE. */
const readSecret = ({ env: plain, path }: Leaf, file: string, env: Env, cwd: string): string | Mistake => {
  const about = { place: `${plain}_FILE`, path };
  if (env[plain]) return { ...about, rule: 'both', what: `is set, but ${plain} is also set`, allowed: 'only one of them' };
  const read = readBytes(resolve(cwd, file));
  const bytes = typeof read === 'string' || isUtf8(read) ? read : 'it is not UTF-8 text';
  if (typeof bytes === 'string') {
    // A relative path may be the secret itself, entered in the wrong variable.
    const name = isAbsolute(file) ? `: ${file}` : '';
    return { ...about, rule: 'unreadable', what: `names a file that cannot be read${name} (${bytes})`, allowed: 'the path of a file' };
  }
  // Unlike Buffer's toString, it drops a byte order mark.
  const text = new TextDecoder().decode(bytes).replace(/\r?\n$/, '');
  return text === '' ? { ...about, rule: 'empty', what: `names an empty file (${file})` } : text;
};

/**
 * Reads the settings in the environment, including secret files. `variableOf`: the variable that sets a
 * setting. Empty variables count as not set; mistakes are returned, not thrown.
 */
export const readEnvironment = (env: Env, cwd: string) => {
  const values: Record<string, unknown> = {};
  const deciding = new Map<string, string>();
  const mistakes: Mistake[] = Object.entries(env).flatMap(([name, value]) => (value ? unknownVariable(name, value) : []));
  for (const leaf of LEAVES) {
    const file = leaf.setting.sensitive ? env[`${leaf.env}_FILE`] : undefined;
    const value = file ? readSecret(leaf, file, env, cwd) : env[leaf.env];
    if (typeof value === 'object') mistakes.push(value);
    else if (value) {
      values[leaf.env] = leaf.setting.coerce(value);
      deciding.set(leaf.key, file ? `${leaf.env}_FILE` : leaf.env);
    }
  }
  return { values, variableOf: ({ key }: Leaf): string | undefined => deciding.get(key), mistakes };
};
