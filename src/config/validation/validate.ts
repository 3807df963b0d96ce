import convict from 'convict';
import { foldSchema, LEAVES, type Loaded } from '../schema.ts';
import { under } from './checks.ts';
import { type Context, contradictions } from './contradictions.ts';
import { FORMATS, type Setting } from './formats.ts';
import type { Problem } from './mistake.ts';

/** The settings as convict holds them, and every problem in them. They are of the type that they claim where there is no problem. */
export type Validated = { readonly loaded: Loaded; readonly problems: readonly Problem[] };

/** A row of the schema for convict. The error of convict has one sentence a setting, so the row reports every broken rule itself. */
type ConvictRow = Setting & { readonly env: string; readonly nullable: boolean; readonly report: (found: readonly Problem[]) => void };

const toConvictFormat = ({ check, coerce }: (typeof FORMATS)[Setting['format']]) => ({
  coerce,
  validate: (value: unknown, row: ConvictRow): void => {
    // A default is valid. The empty default of a required setting is reported by `contradictions`.
    const found = value === row.default ? [] : check(value, row);
    if (found.length === 0) return;
    row.report(found);
    throw new Error(found[0]?.what);
  },
});

convict.addFormats(Object.fromEntries(Object.entries(FORMATS).map(([name, format]) => [name, toConvictFormat(format)])));

/** Merges defaults, file and environment, in this order, and checks each setting, then the rules over several settings. */
export const validate = (file: object, environment: Readonly<Record<string, string>>, options: Omit<Context, 'found'>): Validated => {
  const wrong = new Map<string, readonly Problem[]>();
  const schema = foldSchema<object>(
    ({ key, env, setting }): ConvictRow => ({
      ...setting,
      env,
      nullable: setting.default === null,
      report: (found) => wrong.set(key, found),
    }),
    Object.fromEntries,
  );
  // The types of convict 6 know its built-in formats only, not those that addFormats brings.
  const config = convict(schema as convict.Schema<Loaded>, { env: environment, args: [] }).load(file);
  try {
    config.validate({ allowed: 'strict' });
  } catch (error) {
    if (wrong.size === 0) throw error;
  }
  const loaded = config.getProperties();
  const found = LEAVES.flatMap(({ key, path }) => under(path, wrong.get(key) ?? []));
  return { loaded, problems: [...found, ...contradictions(loaded, new Set(wrong.keys()), { ...options, found })] };
};
