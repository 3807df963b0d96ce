import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const NAME = 'h2m-run-';
const MEMORY = '/dev/shm';
/** A run needs a tenth of it. A container has 64 MB of such memory unless it asks for more. */
const ENOUGH_BYTES = 512 * 1024 * 1024;

const hasRoom = (): boolean => {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ENOUGH_BYTES;
};

/**
 * All folders of a run of `npm test` lie in one, which goes with it: in memory where there is room, since each bridge waits for its disk
 * many times, and what disks do is the subject of `npm run test:long`.
 */
export const setup = (): (() => void) => {
  if (basename(tmpdir()).startsWith(NAME)) return () => undefined;
  const folder = mkdtempSync(join(hasRoom() ? MEMORY : tmpdir(), NAME));
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
};
