import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { cachedDataVersionTag, getHeapCodeStatistics } from 'node:v8';
import { Script } from 'node:vm';

/** A start is over by then, and V8 has not yet dropped the code that only a start needs. */
const KEEP_AFTER_MS = 5000;

/** A start that called many other functions keeps its code in place of what is kept: the first one may have had no login, and read nothing. */
const MORE = 1.1;

/** Before the mark stands how much V8 had compiled when the code was kept, in so many digits. */
const DIGITS = 12;

/** How much V8 has compiled, in bytes: the code is only made for keeping where that is more, as it takes 5 MB and 20 ms. */
const compiledBytes = (): number => getHeapCodeStatistics().bytecode_and_metadata_size;

type Kept = { readonly cachedData?: Buffer; readonly bytes: number };

const readKept = (file: string, mark: string): Kept => {
  try {
    const kept = readFileSync(file);
    const end = kept.length - mark.length - DIGITS;
    const its = kept.toString('latin1', end);
    if (its.slice(DIGITS) === mark) return { cachedData: kept.subarray(0, end), bytes: Number(its.slice(0, DIGITS)) };
  } catch {
    // There is none.
  }
  return { bytes: 0 };
};

const keep = (file: string, code: Buffer, bytes: number, mark: string): void => {
  try {
    const unfinished = `${file}.${process.pid}`;
    writeFileSync(unfinished, Buffer.concat([code, Buffer.from(String(bytes).padStart(DIGITS) + mark)]), { mode: 0o600 });
    renameSync(unfinished, file);
  } catch {
    // The next start takes longer, and that is all.
  }
};

/**
 * Runs the bundle. V8's compiled code is kept in `keptIn` from one start to the next. It is kept once functions were called, since V8
 * compiles a function when it is first called: Node's compile cache, which is made before, lacks most of them.
 */
export const runCompiled = (path: string, digest: string, keptIn: string | undefined): void => {
  // V8 itself compares the length of the source only.
  const mark = [digest, process.version, process.arch, cachedDataVersionTag()].join(' ');
  const { bytes, ...kept } = keptIn === undefined ? { bytes: 0 } : readKept(keptIn, mark);
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${readFileSync(path, 'latin1')}\n})`, {
    filename: path,
    ...kept,
  });
  const isTaken = script.cachedDataRejected === false;
  if (keptIn !== undefined) {
    const keepIfMore = (): void => {
      const now = compiledBytes();
      if (now > MORE * (isTaken ? bytes : 0)) keep(keptIn, script.createCachedData(), now, mark);
    };
    const atExit = (exitCode: number): void => {
      if (exitCode === 0 && !isTaken) keepIfMore();
    };
    process.once('exit', atExit);
    const later = (): void => {
      process.off('exit', atExit);
      keepIfMore();
    };
    setTimeout(later, KEEP_AFTER_MS).unref();
  }
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(path), module, path, dirname(path));
};
