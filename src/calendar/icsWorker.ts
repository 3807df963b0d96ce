import { parentPort, workerData } from 'node:worker_threads';
import { readInstant } from '../schedule/zone.ts';
import { readIcs } from './readIcs.ts';

// A thread of its own, which readApart.ts starts: some calendars take ical.js forever. scripts/build.ts bundles it beside the bridge.

parentPort?.postMessage(readIcs(workerData.text, workerData.window, readInstant));
