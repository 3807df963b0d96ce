import { resolve } from 'node:path';
import { isRecord } from '../shared/json.ts';
import type { Env } from './environment.ts';
import { readFileAt, type SettingsFile } from './file.ts';

/** The folder of an app of Home Assistant that is kept and backed up. */
export const APP_DATA_DIR = '/data';

/** How messages name the options that people enter in Home Assistant. */
export const OPTIONS_NAME = 'the configuration of the app (options.json)';

/** What to do about a mistake in the options. */
export const OPTIONS_ADVICE = 'Correct it in Home Assistant, on the tab Configuration of the app, and start the app again.';

/** The settings of an app where no other layer has them: the port that `app/config.yaml` has for ingress, and a log to read on its tab. */
export const APP_VALUES = { web: { ingress: 8099 }, log: { format: 'pretty' } } as const;

/** An emptied field or list of the form counts as left out. */
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
 * What the Supervisor of Home Assistant gives to an app: a token, and the options that people entered there, if any; undefined elsewhere. The
 * token is a function, so that it is in no log, also where all settings are printed. It goes to the Supervisor alone.
 */
export const homeAssistantApp = (env: Env, cwd: string) => {
  const token = env.SUPERVISOR_TOKEN;
  if (!token) return undefined;
  const options = readFileAt(resolve(cwd, env.HEATING2MQTT_DATA_DIR || APP_DATA_DIR, 'options.json'), cwd);
  return { token: () => token, options: options && named(options) };
};
