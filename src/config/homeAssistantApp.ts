import { resolve } from 'node:path';
import { isRecord } from '../shared/json.ts';
import type { Env } from './environment.ts';
import { readFileAt, type SettingsFile } from './file.ts';

/** The persistent folder of a Home Assistant app; backups include it. */
export const APP_DATA_DIR = '/data';

/** The name of the Home Assistant options in messages. */
export const OPTIONS_NAME = 'the configuration of the app (options.json)';

/** The advice for a mistake in the options. */
export const OPTIONS_ADVICE = 'Correct it in Home Assistant, on the tab Configuration of the app, and start the app again.';

/** An app's own defaults: the ingress port of `app/config.yaml`, and a log readable on its tab. */
export const APP_VALUES = { web: { ingress: 8099 }, log: { format: 'pretty' } } as const;

/** An emptied form field or list counts as not set. */
const withoutEmpty = (tree: unknown): unknown => {
  if (tree === '' || (Array.isArray(tree) && tree.length === 0)) return null;
  return isRecord(tree) ? Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, withoutEmpty(value)])) : tree;
};

const named = (file: SettingsFile): SettingsFile => ({
  ...file,
  name: OPTIONS_NAME,
  tree: withoutEmpty(file.tree),
  placeOf: () => OPTIONS_NAME,
  mistakes: file.mistakes.map((mistake) => ({ ...mistake, place: OPTIONS_NAME })),
});

/**
 * What the Supervisor gives an app: a token, and the options entered there, if any; undefined elsewhere. The
 * token is a function, so that no log contains it, even if all settings are printed. Only the Supervisor gets
 * it.
 */
export const homeAssistantApp = (env: Env, cwd: string) => {
  const token = env.SUPERVISOR_TOKEN;
  if (!token) return undefined;
  const options = readFileAt(resolve(cwd, env.HEATING2MQTT_DATA_DIR || APP_DATA_DIR, 'options.json'), cwd);
  return { token: () => token, options: options && named(options) };
};
