import convict from 'convict';
import { foldSchema, LEAVES, type Loaded } from '../schema.ts';
import { under } from './checks.ts';
import { type Context, contradictions } from './contradictions.ts';
import type { Problem } from './mistake.ts';

/** The settings as convict holds them, and every problem in them. They are of the type that they claim where there is no problem. */
export type Validated = { readonly loaded: Loaded; readonly problems: readonly Problem[] };

type ConvictRow = { readonly env: string; readonly default: unknown; readonly nullable: boolean; readonly check: (value: unknown) => void };

// Values are converted before; without a format of its own, convict converts a text by the type of the default.
convict.addFormat({
  name: 'setting',
  validate: (value: unknown, { check }: ConvictRow) => check(value),
  coerce: (value: unknown) => value,
});

/** Merges defaults, file and environment, in this order, and checks each setting, then the rules over several settings. */
export const validate = (file: object, environment: Readonly<Record<string, unknown>>, options: Omit<Context, 'found'>): Validated => {
  // The error of convict has one sentence a setting; this keeps every broken rule.
  const wrong = new Map<string, readonly Problem[]>();
  const schema = foldSchema<object>(
    ({ key, env, setting }): ConvictRow & { readonly format: 'setting' } => ({
      format: 'setting',
      env,
      default: setting.default,
      nullable: setting.default === null,
      check: (value) => {
        // A default is valid. The empty default of a required setting is reported by `contradictions`.
        const found = value === setting.default ? [] : setting.check(value, setting);
        if (found.length === 0) return;
        wrong.set(key, found);
        throw new Error(found[0]?.what);
      },
    }),
    Object.fromEntries,
  );
  // The types of convict 6 know environments of texts only, and its built-in formats.
  const config = convict(schema as convict.Schema<Loaded>, { env: environment as NodeJS.ProcessEnv, args: [] }).load(file);
  try {
    config.validate({ allowed: 'strict' });
  } catch (error) {
    if (wrong.size === 0) throw error;
  }
  const loaded = config.getProperties();
  const found = LEAVES.flatMap(({ key, path }) => under(path, wrong.get(key) ?? []));
  return { loaded, problems: [...found, ...contradictions(loaded, new Set(wrong.keys()), { ...options, found })] };
};
