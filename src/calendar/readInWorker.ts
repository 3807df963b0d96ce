import { once } from 'node:events';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { EventsRead } from '../schedule/calendar/events.ts';
import { AddressError } from './fetchText.ts';
import type { Window } from './readIcs.ts';

const MOST_MS = 5000;
const MOST_MB = 128;

/**
 * Reads the events of a calendar file in a time window (`readIcs`), in a thread that ends after 5 s or above
 * 128 MB, as for a flood of series. Rejects with an AddressError.
 */
export const readInWorker = async (text: string, window: Window, signal: AbortSignal): Promise<EventsRead> => {
  const within = AbortSignal.any([signal, AbortSignal.timeout(MOST_MS)]);
  // In the release, the worker is a file beside the bundle.
  const worker = new Worker(join(import.meta.dirname, `icsWorker${extname(import.meta.filename)}`), {
    workerData: { text, window },
    resourceLimits: { maxOldGenerationSizeMb: MOST_MB },
    execArgv: [],
  });
  // Another error, while it is ended, would end the bridge.
  worker.on('error', () => undefined);
  try {
    const [read] = await once(worker, 'message', { signal: within });
    return read;
  } catch (error) {
    const isTooMuch = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (within.aborted)
      throw new AddressError('reading the calendar takes longer than 5 s: it has too many repeated events, or one without an end');
    throw new AddressError(isTooMuch ? 'reading the calendar takes too much memory' : 'the calendar is invalid');
  } finally {
    await worker.terminate();
  }
};
