import { resolve } from 'node:path';
import { isRecord } from '../shared/json.ts';
import { defaultDataDir, homeOf } from './dataDir.ts';
import { type Env, readEnvironment } from './environment.ts';
import { PAGE_FILE, readFileAt, readSettingsFile, SEARCHED, type SettingsFile, type Texts } from './file.ts';
import { APP_VALUES, homeAssistantApp, OPTIONS_ADVICE, OPTIONS_NAME } from './homeAssistantApp.ts';
import { LEAVES, type Leaf, type Loaded } from './schema.ts';
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
  /** What files would hold after a change. */
  readonly texts?: Texts;
};

/**
 * The layer that decides a setting; `app` and `options` are those of an app of Home Assistant. `where` is its place:
 * `config/local.yaml:12`, or the name of a variable.
 */
export type Origin = { readonly kind: 'default' | 'app' | 'page' | 'file' | 'options' | 'environment'; readonly where: string };

/** All layers of the settings, merged and checked. */
export type SettingsRead = {
  readonly loaded: Loaded;
  readonly mistakes: readonly Mistake[];
  /** Undefined where there is a mistake. */
  readonly settings: Settings | undefined;
  readonly originOf: (leaf: Leaf) => Origin;
  /** The file that a person wrote. */
  readonly file: SettingsFile | undefined;
  /** The file in `data_dir` that the page wrote. */
  readonly page: SettingsFile | undefined;
  /** Absolute; undefined where no folder is known. */
  readonly dataDir: string | undefined;
  /** As in the settings. */
  readonly supervisor?: Settings['supervisor'];
};

type Tree = Readonly<Record<string, unknown>>;

const advice = (found: string | undefined): string =>
  found === undefined
    ? `No settings file was found (looked for ${SEARCHED.join(' and ')}). Begin with \`heating2mqtt settings --yaml\`.`
    : '`heating2mqtt settings` shows every setting.';

const BROKEN_FILE: readonly string[] = ['unreadable_file', 'utf8', 'syntax', 'no_keys'];

const byPlace = (a: Mistake, b: Mistake): number => a.place.localeCompare(b.place, 'en', { numeric: true });

const NO_DATA_DIR = under(['data_dir'], wrong('required', 'is missing, and no home folder is known', 'a folder, as /data'));
const DATA_DIR_WITHIN = under(
  ['data_dir'],
  wrong('contradiction', 'stands in data_dir itself', 'the environment, or a settings file elsewhere'),
);

const valueAt = (tree: unknown, path: Path): unknown =>
  path.reduce<unknown>((node, key) => (isRecord(node) && Object.hasOwn(node, key) ? node[key] : undefined), tree);

/** Both trees; where both have a setting, that of `high`. */
const merged = (low: Tree, high: Tree): Tree => {
  const all: Record<string, unknown> = { ...low };
  for (const [key, value] of Object.entries(high)) {
    const below = all[key];
    all[key] = isRecord(below) && isRecord(value) ? merged(below, value) : value;
  }
  return all;
};

/** A layer between the defaults and the environment. */
type Layer = { readonly kind: Origin['kind']; readonly values: Tree; readonly placeOf: (path: Path) => string };

/** The values of a file, and the mistakes that can be seen in it alone. */
const valuesOf = (file: SettingsFile | undefined): { readonly values: Tree; readonly mistakes: readonly Mistake[] } => {
  if (!file) return { values: {}, mistakes: [] };
  const { values, problems } = knownKeys(file.tree);
  return { values, mistakes: [...file.mistakes, ...problems.map((problem) => ({ ...problem, place: file.placeOf(problem.path) }))] };
};

const layersOf = (file: SettingsFile | undefined, kind: Origin['kind'], values: Tree): readonly Layer[] =>
  file ? [{ kind, values, placeOf: file.placeOf }] : [];

/** The Supervisor of Home Assistant names the broker where nobody has. */
const BROKER_OF_APP: readonly string[] = ['mqtt.url', 'mqtt.username', 'mqtt.password'];

/**
 * Reads, merges and checks every layer: defaults < the app of Home Assistant < the page's file in `data_dir` < the settings file < the options
 * of the app < the environment. Never throws.
 */
export const readSettings = ({ file: named, env, cwd, needDevices = true, texts }: Sources): SettingsRead => {
  const app = homeAssistantApp(env, cwd);
  const file = readSettingsFile(named, cwd, texts);
  const environment = readEnvironment(env, cwd);
  const written = valuesOf(file);
  const chosen = valuesOf(app?.options);
  const [ofEnv, ofFile] = [environment.values.HEATING2MQTT_DATA_DIR, written.values.data_dir];
  const given =
    [ofEnv, ofFile].find((value) => typeof value === 'string' && value !== '') ?? defaultDataDir(env, process.platform, homeOf(env));
  const dataDir = given === undefined ? undefined : resolve(cwd, String(given));
  const pagePath = dataDir === undefined ? undefined : resolve(dataDir, PAGE_FILE);
  const page = pagePath === undefined || pagePath === file?.path ? undefined : readFileAt(pagePath, cwd, texts);
  const ofPage = valuesOf(page);
  const within = page && valueAt(ofPage.values, ['data_dir']) !== undefined ? DATA_DIR_WITHIN : [];
  /** The highest first. */
  const layers: readonly Layer[] = [
    ...layersOf(app?.options, 'options', chosen.values),
    ...layersOf(file, 'file', written.values),
    ...layersOf(page, 'page', ofPage.values),
    ...(app ? [{ kind: 'app', values: APP_VALUES, placeOf: () => 'Home Assistant' } as const] : []),
  ];

  const setAt = (leaf: Leaf): Origin | undefined => {
    const variable = environment.variableOf(leaf);
    if (variable !== undefined) return { kind: 'environment', where: variable };
    const layer = layers.find(({ values }) => valueAt(values, leaf.path) !== undefined);
    return layer && { kind: layer.kind, where: layer.placeOf(leaf.path) };
  };
  const isSet = (key: string): boolean => LEAVES.some((leaf) => leaf.key === key && setAt(leaf) !== undefined);
  const asksForBroker = app !== undefined && !isSet('mqtt.url');
  // What people enter may belong to another broker.
  const asksForLogin = asksForBroker && !BROKER_OF_APP.some(isSet);
  const originOf = (leaf: Leaf): Origin =>
    setAt(leaf) ??
    ((leaf.key === 'mqtt.url' && asksForBroker) || (BROKER_OF_APP.includes(leaf.key) && asksForLogin)
      ? { kind: 'app', where: 'Home Assistant' }
      : { kind: 'default', where: '' });
  const placeOf = (path: Path): string => {
    const leaf = LEAVES.find((candidate) => candidate.path.every((key, i) => key === path[i]));
    const origin = leaf && originOf(leaf);
    if (origin?.kind === 'environment' || origin?.kind === 'options') return origin.where;
    return (origin?.kind === 'page' ? page : (file ?? page))?.placeOf(path) ?? '';
  };
  const located = (problems: readonly Omit<Mistake, 'place'>[], at = placeOf): readonly Mistake[] =>
    problems.map((problem) => ({ ...problem, place: at(problem.path) }));

  const values = layers.toReversed().reduce<Tree>((low, layer) => merged(low, layer.values), {});
  const { loaded, problems } = validate(values, environment.values, { cwd, needDevices });
  const early = [...chosen.mistakes, ...written.mistakes, ...ofPage.mistakes, ...environment.mistakes];
  // In a file that is broken as a whole, further mistakes would be guesses.
  const mistakes = early.some(({ rule }) => BROKEN_FILE.includes(rule))
    ? early
    : [
        ...early,
        ...located(within, (path) => page?.placeOf(path) ?? ''),
        ...located(dataDir === undefined ? [...problems, ...NO_DATA_DIR] : problems),
      ].toSorted(byPlace);
  const supervisor = app && asksForBroker ? { token: app.token, givesLogin: asksForLogin } : undefined;
  const settings = mistakes.length === 0 && dataDir !== undefined ? finish(loaded, dataDir, cwd, supervisor) : undefined;
  return { loaded, mistakes, settings, originOf, file, page, dataDir, ...(supervisor ? { supervisor } : {}) };
};

/** Every mistake at once, each with its place, its key and what is allowed. */
export const settingsErrorOf = ({ mistakes, file, page }: SettingsRead): SettingsError => {
  const isInOptions = mistakes.some(({ place }) => place === OPTIONS_NAME);
  return new SettingsError(mistakes, isInOptions ? OPTIONS_ADVICE : advice((file ?? page)?.name));
};

/** Reads the settings in force. Throws a SettingsError. */
export const loadSettings = (sources: Sources): Settings => {
  const read = readSettings(sources);
  if (!read.settings) throw settingsErrorOf(read);
  return read.settings;
};

/** True where nobody has made settings yet: there is no file, and nothing is wrong but that required settings are missing. */
export const isUnset = ({ file, mistakes }: SettingsRead): boolean =>
  file === undefined && mistakes.length > 0 && mistakes.every(({ rule }) => rule === 'required');

/** The settings while others that are required are missing; undefined where there is another mistake. */
export const settingsDespite = ({ loaded, mistakes, dataDir, supervisor }: SettingsRead, cwd: string): Settings | undefined =>
  dataDir === undefined || mistakes.some(({ rule }) => rule !== 'required') ? undefined : finish(loaded, dataDir, cwd, supervisor);
