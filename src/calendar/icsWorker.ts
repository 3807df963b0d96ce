import { parentPort, workerData } from 'node:worker_threads';
import { instantOf } from '../schedule/zone.ts';
import { type InZone, readIcs } from './readIcs.ts';

// A thread of its own, which readApart.ts starts: some calendars take ical.js forever. scripts/build.ts bundles it beside the bridge.

const inZone: InZone = (local, zone) => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = local.split(/\D/u).map(Number);
  try {
    return instantOf({ year, month, day, hour, minute, second }, zone);
  } catch {
    return undefined;
  }
};

parentPort?.postMessage(readIcs(workerData.text, workerData.window, inZone));
