import { accessSync, constants, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CodedError, codeOf } from '../../shared/errors.ts';
import { isRecord } from '../../shared/json.ts';
import { replaceFile } from '../../shared/plainFile.ts';
import { emptyYaml } from '../documentation.ts';
import { PAGE_FILE, SEARCHED } from '../file.ts';
import { readSettings, type SettingsRead, type Sources } from '../load.ts';
import { LEAVES, type Leaf } from '../schema.ts';
import type { Mistake } from '../validation/mistake.ts';
import { type Change, changeYaml, type Written } from './yamlEdit.ts';

/** `unwritable`: the system refuses; `cannot_change`: the file is written in a way that this program cannot change. */
export class SettingsStoreError extends CodedError<'unwritable' | 'cannot_change'> {}

/** The file that takes the page's changes. `kind` is its layer. */
export type Target = { readonly path: string; readonly kind: 'file' | 'page' };

/** A change that is not written yet: the files' new texts, and what would be read of them. It can be written where there is no mistake. */
export type Plan = {
  readonly target: Target;
  readonly texts: ReadonlyMap<string, string>;
  readonly read: SettingsRead;
  /** A password or token is among the changes. */
  readonly hasSecret: boolean;
  /** Those of the settings as they would be, or those of changes that the page may not make. */
  readonly mistakes: readonly Mistake[];
};

const mayWrite = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

/** A file is replaced, so its folder must take another one. */
const mayReplace = (path: string): boolean => {
  try {
    const file = realpathSync(path);
    return mayWrite(file) && mayWrite(dirname(file));
  } catch {
    return false;
  }
};

/**
 * Where changes go: the settings file in use, if it can be written; where none is in use and `config/` can be written, config/local.yaml;
 * else `settings.yaml` in `data_dir`. Undefined where no data folder is known.
 */
export const targetOf = ({ file, page, dataDir }: SettingsRead, cwd: string): Target | undefined => {
  if (file) {
    if (mayReplace(file.path)) return { path: file.path, kind: 'file' };
  } else if (!page) {
    const usual = resolve(cwd, SEARCHED[0]);
    if (mayWrite(dirname(usual))) return { path: usual, kind: 'file' };
  }
  return dataDir === undefined ? undefined : { path: join(dataDir, PAGE_FILE), kind: 'page' };
};

/** Where the value comes from that the page cannot change; undefined where it can. */
export const fixedBy = (read: SettingsRead, target: Target | undefined, leaf: Leaf): string | undefined => {
  const { kind, where } = read.originOf(leaf);
  if (kind === 'environment' || kind === 'options' || (kind === 'file' && target?.kind !== 'file')) return where;
  // The Supervisor knows this port.
  if (kind === 'app' && leaf.key === 'web.ingress') return where;
  // From another folder the login and all that is known would be missing.
  return leaf.key === 'data_dir' ? 'HEATING2MQTT_DATA_DIR' : undefined;
};

const textOf = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

const changed = (path: string, changes: readonly Change[]): string => {
  const before = textOf(path);
  const text = changeYaml(before ?? emptyYaml(changes.filter(({ value }) => value !== null).map((change) => change.path)), changes);
  if (text !== undefined) return text;
  const sentence = `${path} is written in a way that the page cannot change. Change it by hand: ${changes.map((change) => change.path.join('.')).join(', ')}.`;
  throw new SettingsStoreError('cannot_change', sentence);
};

const refused = (read: SettingsRead, target: Target, { path }: Change): readonly Mistake[] => {
  const leaf = LEAVES.find(({ key }) => key === path.join('.'));
  if (!leaf) return [{ place: '', path, rule: 'unknown', what: 'there is no such setting' }];
  const where = fixedBy(read, target, leaf);
  return where === undefined ? [] : [{ place: where, path, rule: 'fixed', what: 'is set there, and the page cannot change it' }];
};

/** The text of a field as people write it in a file: a number or a list without quotes. */
const asWritten = (change: Change): Change => {
  const setting = LEAVES.find(({ key }) => key === change.path.join('.'))?.setting;
  if (typeof change.value !== 'string' || !setting || setting.takesKeys) return change;
  const value = setting.coerce(change.value);
  const isPlain =
    typeof value === 'number' || typeof value === 'boolean' || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
  return isPlain ? { ...change, value } : change;
};

const valueAt = (tree: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((node, key) => (isRecord(node) ? node[key] : undefined), tree);

/** Changes of one name (`schedules.profiles.summer`) as changes of the setting that has it: all other names stay as they are now. */
const whole = (changes: readonly Change[], read: SettingsRead): readonly Change[] => {
  const done = new Map<string, Change>();
  for (const change of changes) {
    const { path, value } = change;
    const leaf = LEAVES.find((one) => one.setting.takesKeys && path.join('.').startsWith(`${one.key}.`));
    const key = leaf?.key ?? path.join('.');
    if (!leaf) {
      done.set(key, change);
      continue;
    }
    const name = path.slice(leaf.path.length).join('.');
    const held = done.get(key)?.value ?? valueAt(read.loaded, leaf.path);
    const others = Object.entries(Array.isArray(held) ? Object.fromEntries(held) : { ...(isRecord(held) ? held : {}) });
    const names = Object.fromEntries([...others.filter(([one]) => one !== name), ...(value === null ? [] : [[name, value]])]);
    done.set(key, { path: leaf.path, value: names });
  }
  return [...done.values()].map((change) => (isEmpty(change.value) ? { ...change, value: null } : change));
};

const isEmpty = (value: Written): boolean => isRecord(value) && Object.keys(value).length === 0;

const isSecret = ({ path, value }: Change): boolean =>
  value !== null && LEAVES.find(({ key }) => key === path.join('.'))?.setting.sensitive === true;

/** The settings after these changes, checked as at a start; nothing is written. Throws SettingsStoreError. */
export const planChange = (sources: Sources, wanted: readonly Change[]): Plan => {
  const now = readSettings(sources);
  const changes = whole(wanted, now).map(asWritten);
  const target = targetOf(now, sources.cwd);
  if (!target) throw new SettingsStoreError('unwritable', 'No folder for settings is known: set HEATING2MQTT_DATA_DIR.');
  const mistakes = changes.flatMap((change) => refused(now, target, change));
  if (mistakes.length > 0) return { target, texts: new Map(), read: now, hasSecret: false, mistakes };
  if (changes.length === 0) return { target, texts: new Map(), read: now, hasSecret: false, mistakes: now.mistakes };
  const texts = new Map([[target.path, changed(target.path, changes)]]);
  // What the page once wrote into the layer below would come back where a setting is removed from the file.
  if (target.kind === 'file' && now.page) {
    const removed = changes.map(({ path }) => ({ path, value: null }));
    const text = changed(now.page.path, removed);
    if (text !== textOf(now.page.path)) texts.set(now.page.path, text);
  }
  const read = readSettings({ ...sources, texts });
  return { target, texts, read, hasSecret: changes.some(isSecret), mistakes: read.mistakes };
};

/** Writes a plan; every file keeps its former text beside it, as `<file>.before`. Gives what takes the change back. Throws SettingsStoreError. */
export const writePlan = ({ texts, target, hasSecret }: Plan): (() => void) => {
  const replaced = new Map<string, string | undefined>();
  const restore = (): void => {
    for (const [path, text] of replaced) {
      if (text === undefined) rmSync(path, { force: true });
      else write(path, text);
    }
  };
  for (const [path, text] of texts) {
    const old = textOf(path);
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      if (old !== undefined) write(`${path}.before`, old);
      write(path, text, hasSecret && path === target.path);
      replaced.set(path, old);
    } catch (cause) {
      restore();
      const sentence = `The settings cannot be written to ${path} (${codeOf(cause) ?? 'unknown reason'}), so nothing was changed. Give the user that runs heating2mqtt the right to write there, or make room.`;
      throw new SettingsStoreError('unwritable', sentence, { cause });
    }
  }
  return restore;
};

/** A new file has mode 0600, and one that gets a secret; another keeps its mode. A link stays, and its file is replaced. */
const write = (path: string, text: string, isSecret = false): void => {
  const file = existsSync(path) ? realpathSync(path) : path;
  replaceFile(file, text, existsSync(file) && !isSecret ? { mode: statSync(file).mode & 0o777 } : {});
};
