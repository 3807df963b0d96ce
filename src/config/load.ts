import { defaultDataDir, homeOf } from './dataDir.ts';
import { type Env, readEnvironment } from './environment.ts';
import { readSettingsFile, SEARCHED } from './file.ts';
import { LEAVES } from './schema.ts';
import { finish, type Settings } from './settings.ts';
import { under, wrong } from './validation/checks.ts';
import { knownKeys } from './validation/knownKeys.ts';
import { type Mistake, type Path, SettingsError } from './validation/mistake.ts';
import { validate } from './validation/validate.ts';

/** Where settings come from. */
export type Sources = {
  /** The file that `--config` names, relative to `cwd`; without it the usual places are searched. */
  readonly file?: string | undefined;
  readonly env: Env;
  readonly cwd: string;
  /** False for commands that work without a device, such as the login; default true. */
  readonly needDevices?: boolean;
};

const advice = (found: string | undefined): string =>
  found === undefined
    ? `No settings file was found (looked for ${SEARCHED.join(' and ')}). Begin with \`heating2mqtt settings --yaml\`.`
    : '`heating2mqtt settings` shows every setting.';

const BROKEN_FILE: readonly string[] = ['unreadable_file', 'utf8', 'syntax', 'no_keys'];

const byPlace = (a: Mistake, b: Mistake): number => a.place.localeCompare(b.place, 'en', { numeric: true });

const NO_DATA_DIR = under(['data_dir'], wrong('required', 'is missing, and no home folder is known', 'a folder, as /data'));

/**
 * Reads the settings. A secret file wins over the environment, the environment over the file, the file over the defaults.
 * Throws a SettingsError that names every mistake at once, each with its place, its key and what is allowed.
 */
export const loadSettings = ({ file, env, cwd, needDevices = true }: Sources): Settings => {
  const source = readSettingsFile(file, cwd);
  const environment = readEnvironment(env, cwd);
  const mistakes = [...(source?.mistakes ?? []), ...environment.mistakes];
  const known = knownKeys(source?.tree);
  mistakes.push(...known.problems.map((problem) => ({ ...problem, place: source?.placeOf(problem.path) ?? '' })));
  // In a file that is broken as a whole, further mistakes would be guesses.
  if (mistakes.some(({ rule }) => BROKEN_FILE.includes(rule))) throw new SettingsError(mistakes, advice(source?.name));

  const placeOf = (path: Path): string => {
    const leaf = LEAVES.find((candidate) => candidate.path.every((key, i) => key === path[i]));
    return (leaf && environment.variableOf(leaf)) ?? source?.placeOf(path) ?? '';
  };

  const { loaded, problems } = validate(known.values, environment.values, { cwd, needDevices });
  const dataDir = loaded.data_dir ?? defaultDataDir(env, process.platform, homeOf(env));
  const all = dataDir === undefined ? [...problems, ...NO_DATA_DIR] : problems;
  mistakes.push(...all.map((problem) => ({ ...problem, place: placeOf(problem.path) })));
  if (mistakes.length > 0 || dataDir === undefined) throw new SettingsError(mistakes.toSorted(byPlace), advice(source?.name));
  return finish(loaded, dataDir, cwd);
};
