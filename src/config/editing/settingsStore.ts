import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { CodedError, codeOf } from '../../shared/errors.ts';
import { isRecord } from '../../shared/json.ts';
import { makeFolder, replaceFile } from '../../shared/plainFile.ts';
import { readAccounts } from '../accounts.ts';
import { pageYaml } from '../documentation.ts';
import { PAGE_FILE } from '../file.ts';
import { readSettings, type SettingsRead, type Sources } from '../load.ts';
import { LEAVES, type Leaf, valueAt } from '../schema.ts';
import type { Mistake } from '../validation/mistake.ts';

/** `unwritable`: the system refuses; `cannot_change`: the file of the page has mistakes, so not all that it holds is known. */
export class SettingsStoreError extends CodedError<'unwritable' | 'cannot_change'> {}

/** A value to write: JSON. Null removes the setting, so that a lower layer or the default decides. */
export type Written = string | number | boolean | null | readonly Written[] | { readonly [key: string]: Written };

/** One setting with its new value; `schedules.profiles.summer` is one name of the setting `schedules.profiles`. */
export type Change = { readonly path: readonly string[]; readonly value: Written };

/** A change that is not written yet: the text of the page's file, and what would be read with it. It can be written where there is no mistake. */
export type Plan = {
  /** The page's file, in `data_dir`. */
  readonly file: string;
  /** Undefined where nothing changes. */
  readonly text?: string;
  readonly read: SettingsRead;
  /** Those of the settings as they would be, or those of changes that the page may not make. */
  readonly mistakes: readonly Mistake[];
};

/** Where the value comes from that the page cannot change; undefined where it can. */
export const fixedBy = (read: SettingsRead, leaf: Leaf): string | undefined => {
  const { kind, where } = read.originOf(leaf);
  if (kind === 'environment' || kind === 'options') return where;
  // The Supervisor knows this port.
  if (kind === 'app' && leaf.key === 'web.ingress') return where;
  // Whoever reaches the page could have it read what only this machine reaches.
  if (leaf.key === 'calendar.allow_private' || leaf.key === 'prices.allow_private') return 'settings.yaml';
  // From another folder the login and all that is known would be missing.
  return leaf.key === 'data_dir' ? 'HEATING2MQTT_DATA_DIR' : undefined;
};

/** The setting that a change is of, and the name in it that changes. */
const targetOf = ({ path }: Change): { readonly leaf: Leaf; readonly name?: string } | undefined => {
  const key = path.join('.');
  const leaf = LEAVES.find((one) => one.key === key || (one.setting.takesKeys && key.startsWith(`${one.key}.`)));
  if (!leaf) return undefined;
  return leaf.key === key ? { leaf } : { leaf, name: path.slice(leaf.path.length).join('.') };
};

const refused = (read: SettingsRead, change: Change): readonly Mistake[] => {
  const { path } = change;
  const target = targetOf(change);
  if (!target) return [{ place: '', path, rule: 'unknown', what: 'there is no such setting' }];
  const where = fixedBy(read, target.leaf);
  return where === undefined ? [] : [{ place: where, path, rule: 'fixed', what: 'is set there, and the page cannot change it' }];
};

/** A value as it is written: names with their values as keys. */
const asWritten = ({ setting }: Leaf, value: unknown): unknown =>
  setting.takesKeys && Array.isArray(value) ? Object.fromEntries(value) : value;

/** What the page has set, by key, with a change. */
const withChange = (set: ReadonlyMap<string, unknown>, change: Change, read: SettingsRead): ReadonlyMap<string, unknown> => {
  const target = targetOf(change);
  if (!target) return set;
  const { leaf, name } = target;
  let value: unknown = change.value;
  if (name !== undefined) {
    // All other names stay as they are now, also those that another layer has.
    const now = set.get(leaf.key) ?? asWritten(leaf, valueAt(read.loaded, leaf.path));
    const others = Object.entries(isRecord(now) ? now : {}).filter(([one]) => one !== name);
    value = Object.fromEntries([...others, ...(change.value === null ? [] : [[name, change.value]])]);
  }
  const next = new Map(set);
  const right = value === null ? null : leaf.setting.coerce(value);
  // What the layers below say already needs no entry.
  if (right === null || isDeepStrictEqual(right, read.belowPage(leaf)?.value)) next.delete(leaf.key);
  else next.set(leaf.key, asWritten(leaf, right));
  return next;
};

/** The names that a change of the devices takes from accounts, which would be stopped and withdrawn for it. */
const namesTaken = (sources: Sources, before: SettingsRead, after: SettingsRead): readonly Mistake[] => {
  const unnamed = (read: SettingsRead) => readAccounts(sources, read).filter((one) => 'mistakes' in one && one.isUnnamed);
  const known = new Set(unnamed(before).map(({ name }) => name));
  const found = unnamed(after).filter(({ name }) => !known.has(name));
  return found.flatMap((one) => ('mistakes' in one ? one.mistakes : [])).map((one) => ({ ...one, path: ['devices'] }));
};

/** The settings after these changes, checked as at a start; nothing is written. Throws SettingsStoreError. */
export const planChange = (sources: Sources, changes: readonly Change[]): Plan => {
  const read = readSettings(sources);
  if (read.dataDir === undefined) throw new SettingsStoreError('unwritable', 'No folder for settings is known: set HEATING2MQTT_DATA_DIR.');
  const file = join(read.dataDir, PAGE_FILE);
  const mistakes = changes.flatMap((change) => refused(read, change));
  if (mistakes.length > 0) return { file, read, mistakes };
  if (changes.length === 0) return { file, read, mistakes: read.mistakes };
  const unread = read.page?.mistakes.find(({ rule }) => rule === 'unreadable_file');
  if (unread) throw new SettingsStoreError('unwritable', `${file} ${unread.what}, so nothing was changed.`);
  if (read.page && !read.page.isSound) {
    const sentence = `${file} has mistakes, so the page cannot change it. Change it by hand: ${changes.map(({ path }) => path.join('.')).join(', ')}.`;
    throw new SettingsStoreError('cannot_change', sentence);
  }
  const set = LEAVES.map((leaf) => [leaf.key, asWritten(leaf, valueAt(read.page?.values, leaf.path))] as const);
  let next: ReadonlyMap<string, unknown> = new Map(set.filter(([, value]) => value !== undefined));
  for (const change of changes) next = withChange(next, change, read);
  const text = pageYaml(next);
  const after = readSettings({ ...sources, pageText: text });
  const ofRows = changes.some(({ path }) => path[0] === 'accounts') ? after.rowMistakes : [];
  const ofNames = after.mistakes.length === 0 && changes.some(({ path }) => path[0] === 'devices') ? namesTaken(sources, read, after) : [];
  return { file, text, read: after, mistakes: [...after.mistakes, ...ofRows, ...ofNames] };
};

/** Writes a plan; the former text stays beside the file, as `settings.yaml.before`. Gives what takes the change back. Throws SettingsStoreError. */
export const writePlan = ({ file, text }: Plan): (() => void) => {
  if (text === undefined) return () => undefined;
  const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  try {
    makeFolder(dirname(file));
    if (before !== undefined) replaceFile(`${file}.before`, before);
    replaceFile(file, text);
  } catch (cause) {
    const sentence = `The settings cannot be written to ${file} (${codeOf(cause) ?? 'unknown reason'}), so nothing was changed. Give the user that runs heating2mqtt the right to write there, or make room.`;
    throw new SettingsStoreError('unwritable', sentence, { cause });
  }
  // A disk that has become full has room for this.
  return () => (before === undefined ? rmSync(file, { force: true }) : renameSync(`${file}.before`, file));
};
