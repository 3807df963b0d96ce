import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { defaultDataDir, homeOf } from './dataDir.ts';
import { type Env, readEnvironment } from './environment.ts';
import { PAGE_FILE, readFileAt, readSettingsFile, SEARCHED, type SettingsFile } from './file.ts';
import { APP_VALUES, homeAssistantApp, OPTIONS_ADVICE, OPTIONS_NAME } from './homeAssistantApp.ts';
import { LEAVES, type Leaf, type Loaded, valueAt } from './schema.ts';
import { finish, type Settings } from './settings.ts';
import { under, wrong } from './validation/checks.ts';
import { knownKeys } from './validation/knownKeys.ts';
import { located, type Mistake, type Path, type Problem, SettingsError } from './validation/mistake.ts';
import { validate } from './validation/validate.ts';

type Tree = Readonly<Record<string, unknown>>;

/** Where settings come from. */
export type Sources = {
  /** The file that `--config` names, relative to `cwd`; without it the usual places are searched. */
  readonly file?: string | undefined;
  readonly env: Env;
  readonly cwd: string;
  /** False for commands that work without a device, such as the login; default true. */
  readonly needDevices?: boolean;
  /** What the page's file would hold after a change. */
  readonly pageText?: string;
};

/**
 * The layer that decides a setting; `app` and `options` are those of an app of Home Assistant. `where` is its place:
 * `config/local.yaml, line 12`, or the name of a variable.
 */
type Origin = { readonly kind: 'default' | 'app' | 'page' | 'file' | 'options' | 'environment'; readonly where: string };

/** The settings that an account decides, by their keys, whatever all layers say. */
type AccountLayer = {
  readonly decided: ReadonlyMap<string, unknown>;
  /** Absolute; the page's file lies in the folder of the process. */
  readonly dataDir: string;
  readonly placeOf: (path: Path) => string;
};

/** All layers of the settings, merged and checked. */
export type SettingsRead = {
  readonly loaded: Loaded;
  readonly mistakes: readonly Mistake[];
  /** Those of single rows of `accounts`, which only leave out their row; paths begin with `accounts` and its index. */
  readonly rowMistakes: readonly Mistake[];
  /** Undefined where there is a mistake. */
  readonly settings: Settings | undefined;
  /** The same, also while others that are required are missing. */
  readonly settingsSoFar: Settings | undefined;
  readonly originOf: (leaf: Leaf) => Origin;
  /** What the layers below that of the page say of a setting. */
  readonly belowPage: (leaf: Leaf) => (Origin & { readonly value: unknown }) | undefined;
  /** The file that a person wrote. */
  readonly file: SettingsFile | undefined;
  /** The file in `data_dir` that the page wrote; `isSound` where all that it holds is known. */
  readonly page: (SettingsFile & { readonly values: Tree; readonly isSound: boolean }) | undefined;
  /** Absolute; undefined where no folder is known. */
  readonly dataDir: string | undefined;
  /** The settings of an account, by the same files and variables: hundreds of accounts read them once. */
  readonly withAccount: (account: AccountLayer) => SettingsRead;
};

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

const isOfAccountRow = ({ path: [key, row] }: Problem): boolean => key === 'accounts' && row !== undefined;

/** A layer between the defaults and the environment. */
type Layer = { readonly kind: Origin['kind']; readonly values: Tree; readonly placeOf: (path: Path) => string };

/** The values of a file, and the mistakes that can be seen in it alone. */
const valuesOf = (file: SettingsFile | undefined): { readonly values: Tree; readonly mistakes: readonly Mistake[] } => {
  if (!file) return { values: {}, mistakes: [] };
  const { values, problems } = knownKeys(file.tree);
  return { values, mistakes: [...file.mistakes, ...located(problems, file.placeOf)] };
};

const layersOf = (file: SettingsFile | undefined, kind: Origin['kind'], values: Tree): readonly Layer[] =>
  file ? [{ kind, values, placeOf: file.placeOf }] : [];

/** The Supervisor of Home Assistant names the broker where nobody has. */
const BROKER_OF_APP: readonly string[] = ['mqtt.url', 'mqtt.username', 'mqtt.password'];

/**
 * Reads, merges and checks every layer: defaults < the app of Home Assistant < the settings file < the page's file in `data_dir` < the options
 * of the app < the environment < what an account differs in. Never throws.
 */
export const readSettings = (sources: Sources): SettingsRead => merge(readAll(sources));

/** What is read from outside. */
const readAll = ({ file: named, env, cwd, needDevices = true, pageText }: Sources) => {
  const app = homeAssistantApp(env, cwd);
  const found = readSettingsFile(named, cwd);
  const environment = readEnvironment(env, cwd);
  const ofFound = valuesOf(found);
  const chosen = valuesOf(app?.options);
  const [inEnv, inFile] = [environment.values.HEATING2MQTT_DATA_DIR, ofFound.values.data_dir];
  const given =
    [inEnv, inFile].find((value) => typeof value === 'string' && value !== '') ?? defaultDataDir(env, process.platform, homeOf(env));
  const dataDir = given === undefined ? undefined : resolve(cwd, String(given));
  const pagePath = dataDir === undefined ? undefined : resolve(dataDir, PAGE_FILE);
  // `--config` may name the file of the page.
  const isNamed = pagePath !== undefined && pagePath === found?.path;
  const file = isNamed ? undefined : found;
  const written = isNamed ? valuesOf(undefined) : ofFound;
  const pageFile = pagePath === undefined ? undefined : readFileAt(pagePath, cwd, pageText);
  const ofPage = valuesOf(pageFile);
  const page = pageFile && { ...pageFile, values: ofPage.values, isSound: ofPage.mistakes.length === 0 };
  return { ...{ app, environment, chosen, dataDir, isNamed, file, written, ofPage, page }, cwd, needDevices };
};

const merge = (all: ReturnType<typeof readAll>, account?: AccountLayer): SettingsRead => {
  const { app, environment, chosen, dataDir, isNamed, file, written, ofPage, page, cwd, needDevices } = all;
  const isOfAccount = ({ key }: Pick<Leaf, 'key'>): boolean => account?.decided.has(key) === true;
  const within = !isNamed && valueAt(ofPage.values, ['data_dir']) !== undefined ? DATA_DIR_WITHIN : [];
  const belowPage: readonly Layer[] = [
    ...layersOf(file, 'file', written.values),
    ...(app ? [{ kind: 'app', values: APP_VALUES, placeOf: () => 'Home Assistant' } as const] : []),
  ];
  /** The highest first. */
  const layers: readonly Layer[] = [
    ...layersOf(app?.options, 'options', chosen.values),
    ...layersOf(page, 'page', ofPage.values),
    ...belowPage,
  ];

  const setIn = (some: readonly Layer[], { path }: Leaf) => {
    const layer = some.find(({ values }) => valueAt(values, path) !== undefined);
    return layer && { kind: layer.kind, where: layer.placeOf(path), value: valueAt(layer.values, path) };
  };
  const setAt = (leaf: Leaf): Origin | undefined => {
    if (account && isOfAccount(leaf)) return { kind: 'file', where: account.placeOf(leaf.path) };
    const variable = environment.variableOf(leaf);
    if (variable !== undefined) return { kind: 'environment', where: variable };
    const set = setIn(layers, leaf);
    return set && { kind: set.kind, where: set.where };
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
    if (account && leaf && isOfAccount(leaf)) return account.placeOf(path);
    const origin = leaf && originOf(leaf);
    if (origin?.kind === 'environment' || origin?.kind === 'options') return origin.where;
    return (origin?.kind === 'page' ? page : (file ?? page))?.placeOf(path) ?? '';
  };

  const lowestFirst = layers.map(({ values }) => values).toReversed();
  const given = { cwd, needDevices, hasFile: file !== undefined, isOfAccount: account !== undefined };
  const validated = validate(lowestFirst, environment.values, given, account?.decided);
  const { loaded } = validated;
  const problems = validated.problems.filter((problem) => !isOfAccountRow(problem));
  const ofVariables = environment.mistakes.filter(({ path }) => !isOfAccount({ key: path.join('.') }));
  const early = [...chosen.mistakes, ...written.mistakes, ...ofPage.mistakes, ...ofVariables];
  // In a file that is broken as a whole, further mistakes would be guesses.
  const mistakes = early.some(({ rule }) => BROKEN_FILE.includes(rule))
    ? early
    : [
        ...early,
        ...located(within, (path) => page?.placeOf(path) ?? ''),
        ...located(dataDir === undefined ? [...problems, ...NO_DATA_DIR] : problems, placeOf),
      ].toSorted(byPlace);
  const supervisor = app && asksForBroker ? { token: app.token, givesLogin: asksForLogin } : undefined;
  const folder = account?.dataDir ?? dataDir;
  const isSound = mistakes.every(({ rule }) => rule === 'required');
  const settingsSoFar = isSound && folder !== undefined ? finish(loaded, folder, cwd, supervisor) : undefined;
  return {
    ...{ loaded, mistakes, settingsSoFar, originOf, file, page, dataDir: folder },
    settings: mistakes.length === 0 ? settingsSoFar : undefined,
    rowMistakes: located(validated.problems.filter(isOfAccountRow), placeOf),
    belowPage: (leaf) => setIn(belowPage, leaf),
    withAccount: (other) => merge(all, other),
  };
};

/** Every mistake at once, each with its place, its key and what is allowed. */
export const settingsErrorOf = ({ mistakes, file, page }: SettingsRead): SettingsError => {
  const isInOptions = mistakes.some(({ place }) => place === OPTIONS_NAME);
  return new SettingsError(mistakes, isInOptions ? OPTIONS_ADVICE : advice((file ?? page)?.name));
};

/** What the settings file says of a setting that the page has set otherwise. */
export const overruled = (read: SettingsRead, leaf: Leaf): { readonly value: unknown; readonly where: string } | undefined => {
  const below = read.belowPage(leaf);
  if (read.originOf(leaf).kind !== 'page' || below?.kind !== 'file') return undefined;
  return isDeepStrictEqual(below.value, valueAt(read.page?.values, leaf.path)) ? undefined : below;
};

/** The settings that the page decides though the settings file says otherwise, each with its place in that file. */
export const allOverruled = (read: SettingsRead): readonly { readonly path: string; readonly where: string }[] =>
  LEAVES.flatMap((leaf) => {
    const inFile = overruled(read, leaf);
    return inFile ? [{ path: leaf.key, where: inFile.where }] : [];
  });

/** The settings in force. Throws a SettingsError. */
export const settingsIn = (read: SettingsRead): Settings => {
  if (!read.settings) throw settingsErrorOf(read);
  return read.settings;
};

/** Reads the settings in force. Throws a SettingsError. */
export const loadSettings = (sources: Sources): Settings => settingsIn(readSettings(sources));

/** True where nobody has made settings yet: there is no file, and nothing is wrong but that required settings are missing. */
export const isUnset = ({ file, mistakes }: SettingsRead): boolean =>
  file === undefined && mistakes.length > 0 && mistakes.every(({ rule }) => rule === 'required');
