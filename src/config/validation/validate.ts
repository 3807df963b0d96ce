import convict from 'convict';
import { foldSchema, LEAVES, type Loaded, valueAt } from '../schema.ts';
import { under } from './checks.ts';
import { type Context, contradictions } from './contradictions.ts';
import type { Problem } from './mistake.ts';

/** Settings for convict. Its formats and messages are not used (reasons: docs/decisions/settings.md). */
const ROWS = foldSchema<object>(({ env, setting }) => ({ format: '*', env, default: setting.default }), Object.fromEntries);

/** The defaults, overridden by the layers (lowest first), the environment, and `decided`. */
const merged = (
  layers: readonly object[],
  environment: Readonly<Record<string, unknown>>,
  decided: ReadonlyMap<string, unknown>,
): Loaded => {
  // The types of convict 6 allow only text in the environment.
  const config = convict(ROWS as convict.Schema<Loaded>, { env: environment as NodeJS.ProcessEnv, args: [] });
  for (const layer of layers) config.load(layer);
  for (const [key, value] of decided) config.set(key, value);
  return config.getProperties();
};

/**
 * Merges defaults, layers, environment and `decided`, in this order, then checks each setting, then the rules
 * over several settings. `loaded` matches its type only if there is no problem.
 */
export const validate = (
  layers: readonly object[],
  environment: Readonly<Record<string, unknown>>,
  options: Omit<Context, 'found'>,
  decided: ReadonlyMap<string, unknown> = new Map(),
): { readonly loaded: Loaded; readonly problems: readonly Problem[] } => {
  const loaded = merged(layers, environment, decided);
  const checked = LEAVES.map(({ key, path, setting }) => {
    const value = valueAt(loaded, path);
    // A default is valid. `contradictions` reports the empty default of a required setting.
    return { key, found: value === setting.default ? [] : under(path, setting.check(value, setting)) };
  });
  const found = checked.flatMap((one) => one.found);
  const wrongKeys = new Set(checked.filter((one) => one.found.length > 0).map(({ key }) => key));
  return { loaded, problems: [...found, ...contradictions(loaded, wrongKeys, { ...options, found })] };
};
