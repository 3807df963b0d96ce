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

/** `unwritable`: the system refuses; `cannot_change`: the page's file has mistakes, so parts are unknown. */
export class SettingsStoreError extends CodedError<'unwritable' | 'cannot_change'> {}

/** A JSON value to write. Null removes the setting, so that a lower layer or the default applies. */
export type Written = string | number | boolean | null | readonly Written[] | { readonly [key: string]: Written };

/** One setting with its new value; `schedules.profiles.summer` is one name in `schedules.profiles`. */
export type Change = { readonly path: readonly string[]; readonly value: Written };

/** A change not yet written: the new text of the page's file and its result. Writable without mistakes. */
export type Plan = {
  /** The page's file, in `data_dir`. */
  readonly file: string;
  /** Undefined if nothing changes. */
  readonly text?: string;
  readonly read: SettingsRead;
  /** The mistakes of the new settings, or of changes that the page may not make. */
  readonly mistakes: readonly Mistake[];
};

/** The source of a value that the page cannot change; undefined if it can. */
export const fixedBy = (read: SettingsRead, leaf: Leaf): string | undefined => {
  const { kind, where } = read.originOf(leaf);
  if (kind === 'environment' || kind === 'options') return where;
  // The Supervisor relies on this port.
  if (kind === 'app' && leaf.key === 'web.ingress') return where;
  // A page user could otherwise make it read addresses that only this machine reaches.
  if (leaf.key === 'calendar.allow_private' || leaf.key === 'prices.allow_private') return 'settings.yaml';
  // With another folder, the login and all stored data would be missing.
  return leaf.key === 'data_dir' ? 'HEATING2MQTT_DATA_DIR' : undefined;
};

/** The setting of a change, and the changed name in it. */
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
  return where === undefined ? [] : [{ place: where, path, rule: 'fixed', what: 'is set there; the page cannot change it' }];
};

/** A value in its written form: names with values as keys. */
const asWritten = ({ setting }: Leaf, value: unknown): unknown =>
  setting.takesKeys && Array.isArray(value) ? Object.fromEntries(value) : value;

/** The page's settings by key, after a change. */
const withChange = (set: ReadonlyMap<string, unknown>, change: Change, read: SettingsRead): ReadonlyMap<string, unknown> => {
  const target = targetOf(change);
  if (!target) return set;
  const { leaf, name } = target;
  let value: unknown = change.value;
  if (name !== undefined) {
    // All other names keep their current value, even if it comes from another layer.
    const now = set.get(leaf.key) ?? asWritten(leaf, valueAt(read.loaded, leaf.path));
    const others = Object.entries(isRecord(now) ? now : {}).filter(([one]) => one !== name);
    value = Object.fromEntries([...others, ...(change.value === null ? [] : [[name, change.value]])]);
  }
  const next = new Map(set);
  const right = value === null ? null : leaf.setting.coerce(value);
  // A value that the lower layers already have needs no entry.
  if (right === null || isDeepStrictEqual(right, read.belowPage(leaf)?.value)) next.delete(leaf.key);
  else next.set(leaf.key, asWritten(leaf, right));
  return next;
};

/** Account names that a device change would take: these accounts would be stopped and withdrawn. */
const namesTaken = (sources: Sources, before: SettingsRead, after: SettingsRead): readonly Mistake[] => {
  const unnamed = (read: SettingsRead) => readAccounts(sources, read).filter((one) => 'mistakes' in one && one.isUnnamed);
  const known = new Set(unnamed(before).map(({ name }) => name));
  const found = unnamed(after).filter(({ name }) => !known.has(name));
  return found.flatMap((one) => ('mistakes' in one ? one.mistakes : [])).map((one) => ({ ...one, path: ['devices'] }));
};

/** The settings after these changes, checked as at a start; writes nothing. Throws SettingsStoreError. */
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

/** Writes a plan; old text: `settings.yaml.before`. Returns the undo. Throws SettingsStoreError. */
export const writePlan = ({ file, text }: Plan): (() => void) => {
  if (text === undefined) return () => undefined;
  const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  try {
    makeFolder(dirname(file));
    if (before !== undefined) replaceFile(`${file}.before`, before);
    replaceFile(file, text);
  } catch (cause) {
    const sentence = `The settings cannot be written to ${file} (${codeOf(cause) ?? 'unknown reason'}), so nothing was changed. Give the user that runs heating2mqtt the right to write there, or free disk space.`;
    throw new SettingsStoreError('unwritable', sentence, { cause });
  }
  // This also works on a full disk.
  return () => (before === undefined ? rmSync(file, { force: true }) : renameSync(`${file}.before`, file));
};
