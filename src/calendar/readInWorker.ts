import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AddressError } from './fetchText.ts';
import type { IcsRead, Window } from './readIcs.ts';

const MOST_MS = 5000;
const MOST_MB = 128;

/**
 * Reads the events of a calendar file in a time window (`readIcs`), in a thread that ends after 5 s or above
 * 128 MB, as for a flood of series. Rejects with an AddressError.
 */
export const readInWorker = async (text: string, window: Window, signal: AbortSignal): Promise<IcsRead> => {
  const { promise, resolve, reject } = Promise.withResolvers<IcsRead>();
  // In the release, the worker is a file beside the bundle.
  const worker = new Worker(join(import.meta.dirname, `icsWorker${extname(import.meta.filename)}`), {
    workerData: { text, window },
    resourceLimits: { maxOldGenerationSizeMb: MOST_MB },
    execArgv: [],
  });
  worker.once('message', resolve);
  worker.once('error', (error: Error & { code?: unknown }) =>
    reject(
      new AddressError(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'reading the calendar takes too much memory' : 'the calendar is invalid',
      ),
    ),
  );
  const giveUp = (): void =>
    reject(new AddressError('reading the calendar takes longer than 5 s: it has too many repeated events, or one without an end'));
  const timer = setTimeout(giveUp, MOST_MS);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
    await worker.terminate();
  }
};
