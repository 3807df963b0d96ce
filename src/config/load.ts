import { homedir } from 'node:os';
import { defaultDataDir } from './dataDir.ts';
import { type Env, readEnvironment } from './environment.ts';
import { readSettingsFile, SEARCHED } from './file.ts';
import { finish } from './finish.ts';
import { findsDevices } from './profiles.ts';
import { LEAVES } from './schema.ts';
import type { Settings } from './settings.ts';
import { contradictions } from './validation/contradictions.ts';
import { DEVICE_EXAMPLE } from './validation/deviceEntries.ts';
import { knownKeys } from './validation/knownKeys.ts';
import { type Mistake, type Path, type Problem, SettingsError } from './validation/mistake.ts';
import { validate } from './validation/validate.ts';

/** Where settings come from. */
export type Sources = {
  /** What `--config` named, relative to `cwd`; without it the usual files are looked for. */
  readonly file?: string | undefined;
  readonly env: Env;
  readonly cwd: string;
  /** False for what works without a device, such as the login; default true. */
  readonly needDevices?: boolean;
};

const advice = (found: string | undefined): string =>
  found === undefined
    ? `No settings file was found (looked for ${SEARCHED.join(' and ')}). Begin with \`heating2mqtt settings --yaml\`.`
    : '`heating2mqtt settings` shows every setting.';

const BROKEN_FILE: readonly string[] = ['unreadable_file', 'utf8', 'syntax', 'no_keys'];

const byPlace = (a: Mistake, b: Mistake): number => a.place.localeCompare(b.place, 'en', { numeric: true });

const homeOf = (env: Env): string | undefined => {
  if (env.HOME) return env.HOME;
  try {
    return homedir();
  } catch {
    // A user id without an entry in the system's list of users, as containers run with.
    return undefined;
  }
};

const missingDevices: Problem = {
  path: ['devices'],
  rule: 'required',
  what: 'is missing: name at least one device to read',
  allowed: DEVICE_EXAMPLE,
};
const missingDataDir: Problem = {
  path: ['data_dir'],
  rule: 'required',
  what: 'is missing, and no home folder is known',
  allowed: 'a folder, as /data',
};

/**
 * Reads the settings: defaults, under the file, under the environment, under secret files.
 * Throws a SettingsError that names every mistake at once, each with its place, its key and what is allowed.
 */
export const loadSettings = ({ file, env, cwd, needDevices = true }: Sources): Settings => {
  const source = readSettingsFile(file, cwd);
  const environment = readEnvironment(env, cwd);
  const mistakes = [...(source?.mistakes ?? []), ...environment.mistakes];
  const known = knownKeys(source?.tree);
  const unknown = known.problems.map((problem) => ({ ...problem, place: source?.placeOf(problem.path) ?? '' }));
  mistakes.push(...unknown);
  // Of a file that is broken as a whole the rest would only be guessed.
  if (mistakes.some(({ rule }) => BROKEN_FILE.includes(rule))) throw new SettingsError(mistakes, advice(source?.name));

  const placeOf = (path: Path): string => {
    const leaf = LEAVES.find((candidate) => candidate.path.every((key, i) => key === path[i]));
    return (leaf && environment.variableOf(leaf)) ?? source?.placeOf(path) ?? '';
  };

  const { loaded, problems, wrongKeys } = validate(known.values, environment.values);
  const dataDir = loaded.data_dir ?? defaultDataDir(env, process.platform, homeOf(env));
  // With a profile that is none nobody knows whether devices are found by themselves.
  const isTold = wrongKeys.has('devices') || wrongKeys.has('platform.profile');
  const noDevices = needDevices && !isTold && loaded.devices.length === 0 && !findsDevices(loaded.platform);
  const all = [
    ...problems,
    ...contradictions(loaded, problems, wrongKeys, cwd),
    ...(noDevices ? [missingDevices] : []),
    ...(dataDir === undefined ? [missingDataDir] : []),
  ];

  mistakes.push(...all.map((problem) => ({ ...problem, place: placeOf(problem.path) })));
  if (mistakes.length > 0 || dataDir === undefined) throw new SettingsError(mistakes.toSorted(byPlace), advice(source?.name));
  return finish(loaded, dataDir, cwd);
};
