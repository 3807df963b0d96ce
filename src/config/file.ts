import { isUtf8 } from 'node:buffer';
import { dirname, relative, resolve } from 'node:path';
import { codeOf, messageOf } from '../shared/errors.ts';
import { fileId, ownerOf, PlainFileError, readPlainFile } from '../shared/plainFile.ts';
import type { Mistake, Path, SettingRule } from './validation/mistake.ts';
import { readYaml } from './yaml/readYaml.ts';

/** A settings file: its content and the places of its keys. */
export type SettingsFile = {
  /** For messages: relative if it is below the working folder. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly tree: unknown;
  readonly placeOf: (path: Path) => string;
  readonly mistakes: readonly Mistake[];
};

/** The search order for the settings file if none is named. */
export const SEARCHED = ['config/local.yaml', '/etc/heating2mqtt.yaml'] as const;

/** The file of the page's settings, in `data_dir`. */
export const PAGE_FILE = 'settings.yaml';

/** Limit for a settings, password or certificate file; a file of all public CAs has about 220 kB. */
const MOST_BYTES = 1024 * 1024;

/** The bytes of a file named in the settings, or why it cannot be read. */
export const readBytes = (path: string): Buffer | string => {
  try {
    return readPlainFile(path, MOST_BYTES);
  } catch (error) {
    if (error instanceof PlainFileError) return error.message;
    return codeOf(error) ?? 'unknown reason';
  }
};

const shownName = (path: string, cwd: string): string => {
  const name = relative(cwd, path);
  // In a container the working folder is the root folder.
  return name === '' || name.startsWith('..') || cwd === dirname(cwd) ? path : name;
};

const failed = (name: string, path: string, rule: SettingRule, what: string): SettingsFile => ({
  name,
  path,
  tree: null,
  placeOf: () => name,
  mistakes: [{ place: name, path: [], rule, what }],
});

/** `config/local.yaml, line 12`; the page translates it. */
const placeIn = (name: string, line: number, column?: number): string =>
  `${name}, line ${line}${column === undefined ? '' : `, column ${column}`}`;

const understand = (name: string, path: string, bytes: Buffer): SettingsFile => {
  if (!isUtf8(bytes)) return failed(name, path, 'utf8', 'is not UTF-8 text');
  // Unlike Buffer's toString, it drops a byte order mark.
  const { tree, faults, lineOf } = readYaml(new TextDecoder().decode(bytes));
  const placeOf = (key: Path): string => {
    const line = lineOf(key);
    return line === undefined ? name : placeIn(name, line);
  };
  const mistakes = faults.map(({ line, column, rule, what }) => ({ place: placeIn(name, line, column), path: [], rule, what }));
  return { name, path, tree, placeOf, mistakes };
};

/** Reads one file, or `text` instead; undefined if there is none. Mistakes are returned, not thrown. */
export const readFileAt = (path: string, cwd: string, text?: string): SettingsFile | undefined => {
  const name = shownName(path, cwd);
  try {
    return understand(name, path, text === undefined ? readPlainFile(path, MOST_BYTES) : Buffer.from(text));
  } catch (error) {
    // A link to an unavailable share counts as an existing file.
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '') && fileId(path) === undefined) return undefined;
    const why = messageOf(error).replace(/, (?:open|read|lstat).*/, '');
    return failed(name, path, 'unreadable_file', `cannot be read (${why}${ownerOf(dirname(path), error)})`);
  }
};

/** Reads the named file (it must exist), else the first existing file of SEARCHED; undefined without one. */
export const readSettingsFile = (file: string | undefined, cwd: string): SettingsFile | undefined => {
  for (const path of file === undefined ? SEARCHED : [file]) {
    const candidate = resolve(cwd, path);
    const found = readFileAt(candidate, cwd);
    if (found) return found;
    if (file !== undefined)
      return failed(shownName(candidate, cwd), candidate, 'unreadable_file', 'cannot be read (ENOENT: no such file or directory)');
  }
  return undefined;
};
