import { lstatSync, mkdirSync, realpathSync, type Stats } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** Bits of a mode that let the group or others write, and the one that lets only its owner delete or rename an entry of a folder. */
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/** Where caches go by systemd's or the platform's convention: a folder that has to exist, and what may be made in it. */
const cachePlace = (): readonly [base: string, ...names: readonly string[]] | undefined => {
  const { CACHE_DIRECTORY, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  // systemd names several folders with a colon between them.
  const given = CACHE_DIRECTORY?.split(':')[0];
  if (given) return [given, 'compile'];
  if (process.platform === 'win32') return LOCALAPPDATA ? [LOCALAPPDATA, 'heating2mqtt', 'compile'] : undefined;
  if (process.platform === 'darwin') return [homedir(), 'Library', 'Caches', 'heating2mqtt', 'compile'];
  // The XDG specification has relative paths ignored.
  if (XDG_CACHE_HOME?.startsWith('/')) return [XDG_CACHE_HOME, 'heating2mqtt', 'compile'];
  return [homedir(), '.cache', 'heating2mqtt', 'compile'];
};

const isOwn = ({ uid }: Stats): boolean => uid === 0 || uid === process.geteuid?.();

const isWritableByOthers = ({ mode }: Stats): boolean => (mode & WRITABLE_BY_OTHERS) !== 0;

/** True where another user could put a folder of their own in the place of one that lies in this one. */
const isOpen = (folder: Stats): boolean => !isOwn(folder) || (isWritableByOthers(folder) && (folder.mode & STICKY) === 0);

const upwards = (folder: string): readonly string[] => (dirname(folder) === folder ? [folder] : [folder, ...upwards(dirname(folder))]);

/**
 * The folder for compiled code, made where it is missing; undefined where somebody else could write what this process would execute.
 * On Windows it is below the user's own folder, whose access list keeps others out.
 */
const privateFolder = (): string | undefined => {
  const [base, ...names] = cachePlace() ?? [];
  if (base === undefined || !isAbsolute(base)) return undefined;
  if (process.platform === 'win32') return join(base, ...names);
  const real = realpathSync(base);
  if (upwards(real).some((folder) => isOpen(lstatSync(folder)))) return undefined;
  let folder = real;
  for (const name of names) {
    folder = join(folder, name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    // A link is no folder here.
    if (!found.isDirectory() || !isOwn(found) || isWritableByOthers(found)) return undefined;
  }
  return folder;
};

/** The folder in which compiled code may be kept; undefined where there is none. */
export const cacheFolder = (): string | undefined => {
  try {
    return privateFolder();
  } catch {
    // No home folder, or one that cannot be written: the start takes longer, and that is all.
    return undefined;
  }
};
