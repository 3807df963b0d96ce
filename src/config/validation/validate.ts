import { resolve } from 'node:path';
import convict from 'convict';
import { PlainFileError, readPlainFile } from '../../shared/plainFile.ts';
import { MOST_BYTES } from '../file.ts';
import { LEAVES, type Leaf } from '../leaves.ts';
import { SCHEMA } from '../schema.ts';
import type { Loaded, Setting } from '../setting.ts';
import { contradictions } from './contradictions.ts';
import { FORMATS } from './formats.ts';
import type { Problem } from './mistake.ts';

/** The values by the schema, and every problem in them. They are right, and so of the type that they claim, where there is no problem. */
export type Validated = { readonly loaded: Loaded; readonly problems: readonly Problem[]; readonly wrongKeys: ReadonlySet<string> };

const findIn = (value: unknown, setting: Setting) => (value === setting.default ? [] : FORMATS[setting.format].check(value, setting));

convict.addFormats(
  Object.fromEntries(
    Object.entries(FORMATS).map(([name, { coerce }]) => [
      name,
      {
        coerce,
        validate: (value: unknown, setting: Setting): void => {
          const [found] = findIn(value, setting);
          if (found) throw new Error(found.what);
        },
      },
    ]),
  ),
);

// The types of convict 6 know its built-in formats only, not those that addFormats brings.
const CONVICT_SCHEMA = SCHEMA as object as convict.Schema<Loaded>;

const valueAt = (tree: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((node, key) => (typeof node === 'object' && node !== null ? Reflect.get(node, key) : undefined), tree);

const problemsOf = (tree: unknown, { path, setting }: Leaf): readonly Problem[] =>
  findIn(valueAt(tree, path), setting).map((found) => ({ ...found, path: [...path, ...(found.path ?? [])] }));

const unreadable = (mqtt: Loaded['mqtt'], wrongKeys: ReadonlySet<string>, cwd: string): readonly Problem[] =>
  (['ca', 'cert', 'key'] as const).flatMap((name): readonly Problem[] => {
    const file = mqtt[name];
    const path = ['mqtt', name];
    if (typeof file !== 'string' || wrongKeys.has(`mqtt.${name}`)) return [];
    try {
      readPlainFile(resolve(cwd, file), MOST_BYTES);
      return [];
    } catch (error) {
      const why =
        error instanceof PlainFileError ? error.message : error instanceof Error && 'code' in error ? error.code : 'unknown reason';
      return [{ path, rule: 'unreadable', what: `names a file that cannot be read: ${file} (${why})`, allowed: 'a PEM file' }];
    }
  });

/** Lays the environment over the file over the defaults, and judges what comes out: each setting, then what they say together. */
export const validate = (file: object, environment: Readonly<Record<string, string>>, cwd: string): Validated => {
  const config = convict(CONVICT_SCHEMA, { env: environment, args: [] }).load(file);
  const loaded: Loaded = config.getProperties();
  const wrong = LEAVES.map((leaf) => ({ leaf, problems: problemsOf(loaded, leaf) })).filter(({ problems }) => problems.length > 0);
  if (wrong.length === 0) config.validate({ allowed: 'strict' });
  const wrongKeys = new Set(wrong.map(({ leaf }) => leaf.key));
  return {
    loaded,
    problems: [
      ...wrong.flatMap(({ problems }) => problems),
      ...contradictions(loaded, wrongKeys),
      ...unreadable(loaded.mqtt, wrongKeys, cwd),
    ],
    wrongKeys,
  };
};
