import { parentPort, workerData } from 'node:worker_threads';
import { readInstant } from '../schedule/zone.ts';
import { readIcs } from './readIcs.ts';

// A separate thread for readInWorker.ts: ical.js never ends for some calendars. scripts/build.ts bundles it.

parentPort?.postMessage(readIcs(workerData.text, workerData.window, readInstant));
