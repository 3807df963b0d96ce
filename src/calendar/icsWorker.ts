import { parentPort, workerData } from 'node:worker_threads';
import { readInstant } from '../schedule/zone.ts';
import { readIcs } from './readIcs.ts';

// A separate thread for readInWorker.ts: a flood of series takes long, and ical.js never ends for some zones. scripts/build.ts bundles it.

parentPort?.postMessage(readIcs(workerData.text, workerData.window, readInstant));
