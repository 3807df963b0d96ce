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

/** The sources of the settings. */
export type Sources = {
  /** The file named by `--config`, relative to `cwd`; without it the default places are searched. */
  readonly file?: string | undefined;
  readonly env: Env;
  readonly cwd: string;
  /** False for commands that need no device, such as the login; default true. */
  readonly needDevices?: boolean;
  /** The text of the page's file after a change. */
  readonly pageText?: string;
};

/**
 * The layer that sets a setting; `app` and `options` belong to a Home Assistant app. `where`: its place, as
 * `config/local.yaml, line 12`, or the name of a variable.
 */
type Origin = { readonly kind: 'default' | 'app' | 'page' | 'file' | 'options' | 'environment'; readonly where: string };

/** Settings by key that an account sets, above all layers. */
type AccountLayer = {
  readonly decided: ReadonlyMap<string, unknown>;
  /** Absolute; the page's file is in the folder of the process. */
  readonly dataDir: string;
  readonly placeOf: (path: Path) => string;
};

/** All layers of the settings, merged and checked. */
export type SettingsRead = {
  readonly loaded: Loaded;
  readonly mistakes: readonly Mistake[];
  /** Mistakes in single `accounts` rows, which only drop their row; paths: `accounts`, its index, … */
  readonly rowMistakes: readonly Mistake[];
  /** Undefined if there is a mistake. */
  readonly settings: Settings | undefined;
  /** The same, but other required settings may be missing. */
  readonly settingsSoFar: Settings | undefined;
  readonly originOf: (leaf: Leaf) => Origin;
  /** The value of a setting in the layers below the page. */
  readonly belowPage: (leaf: Leaf) => (Origin & { readonly value: unknown }) | undefined;
  /** The file written by the user. */
  readonly file: SettingsFile | undefined;
  /** The page's file in `data_dir`; `isSound` if its whole content is known. */
  readonly page: (SettingsFile & { readonly values: Tree; readonly isSound: boolean }) | undefined;
  /** Absolute; undefined if no folder is known. */
  readonly dataDir: string | undefined;
  /** The settings of an account from the same files and variables: hundreds of accounts share one read. */
  readonly withAccount: (account: AccountLayer) => SettingsRead;
};

/** Advice for the command line. Without a client id, the user is probably at the beginning. */
const advice = (found: string | undefined, mistakes: readonly Mistake[]): string => {
  if (found === undefined)
    return `No settings file was found (looked for ${SEARCHED.join(' and ')}). Write one with \`heating2mqtt settings --yaml\`, or make the settings on the page of \`heating2mqtt run\` (web.enabled).`;
  const isFirst = mistakes.some(({ rule, path }) => rule === 'required' && path.join('.') === 'platform.client_id');
  const page = ' Without a settings file, the page of `heating2mqtt run` leads you through the set-up.';
  return `\`heating2mqtt settings\` shows every setting.${isFirst ? page : ''}`;
};

const BROKEN_FILE: readonly string[] = ['unreadable_file', 'utf8', 'syntax', 'no_keys'];

const byPlace = (a: Mistake, b: Mistake): number => a.place.localeCompare(b.place, 'en', { numeric: true });

const NO_DATA_DIR = under(['data_dir'], wrong('required', 'is missing, and no home folder is known', 'a folder, such as /data'));
const DATA_DIR_WITHIN = under(
  ['data_dir'],
  wrong('contradiction', 'cannot be set in a file inside data_dir', 'the environment, or a settings file elsewhere'),
);

const isOfAccountRow = ({ path: [key, row] }: Problem): boolean => key === 'accounts' && row !== undefined;

/** A layer between the defaults and the environment. */
type Layer = { readonly kind: Origin['kind']; readonly values: Tree; readonly placeOf: (path: Path) => string };

/** The values of a file, and the mistakes found in it alone. */
const valuesOf = (file: SettingsFile | undefined): { readonly values: Tree; readonly mistakes: readonly Mistake[] } => {
  if (!file) return { values: {}, mistakes: [] };
  const { values, problems } = knownKeys(file.tree);
  return { values, mistakes: [...file.mistakes, ...located(problems, file.placeOf)] };
};

const layersOf = (file: SettingsFile | undefined, kind: Origin['kind'], values: Tree): readonly Layer[] =>
  file ? [{ kind, values, placeOf: file.placeOf }] : [];

/** The Supervisor of Home Assistant gives the broker if it is not set. */
const BROKER_OF_APP: readonly string[] = ['mqtt.url', 'mqtt.username', 'mqtt.password'];

/**
 * Reads, merges and checks every layer: defaults < Home Assistant app < settings file < page's file in
 * `data_dir` < options of the app < environment < the account's own settings. Never throws.
 */
export const readSettings = (sources: Sources): SettingsRead => merge(readAll(sources));

/** Reads all external sources. */
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
  // `--config` may name the page's file.
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
  /** Highest layer first. */
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
  // A user name or password that the user enters may belong to another broker.
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
  const given = { cwd, needDevices };
  const validated = validate(lowestFirst, environment.values, given, account?.decided);
  const { loaded } = validated;
  const problems = validated.problems.filter((problem) => !isOfAccountRow(problem));
  const ofVariables = environment.mistakes.filter(({ path }) => !isOfAccount({ key: path.join('.') }));
  const early = [...chosen.mistakes, ...written.mistakes, ...ofPage.mistakes, ...ofVariables];
  // If the whole file is broken, further mistakes would be guesses.
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

/** All mistakes, each with its place, key and allowed values. */
export const settingsErrorOf = ({ mistakes, file, page }: SettingsRead): SettingsError => {
  const isInOptions = mistakes.some(({ place }) => place === OPTIONS_NAME);
  return new SettingsError(mistakes, isInOptions ? OPTIONS_ADVICE : advice((file ?? page)?.name, mistakes));
};

/** The value in the settings file of a setting that the page overrides. */
export const overruled = (read: SettingsRead, leaf: Leaf): { readonly value: unknown; readonly where: string } | undefined => {
  const below = read.belowPage(leaf);
  if (read.originOf(leaf).kind !== 'page' || below?.kind !== 'file') return undefined;
  return isDeepStrictEqual(below.value, valueAt(read.page?.values, leaf.path)) ? undefined : below;
};

/** The settings of the settings file that the page overrides, each with its place in that file. */
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

/** True if no settings exist yet: there is no file, and the only mistakes are missing required settings. */
export const isUnset = ({ file, mistakes }: SettingsRead): boolean =>
  file === undefined && mistakes.length > 0 && mistakes.every(({ rule }) => rule === 'required');
