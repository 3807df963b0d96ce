import { startApp } from '../app.ts';
import type { Settings } from '../config/settings.ts';
import { VERSION } from '../shared/version.ts';
import type { Io } from './terminal/io.ts';
import { makeLog } from './terminal/log.ts';

/** `heating2mqtt run`: the bridge, until a signal ends it. */
export const run = async (settings: Settings, io: Pick<Io, 'isTTY' | 'untilSignal'>): Promise<number> => {
  const log = await makeLog(settings.log, io.isTTY);
  const { base } = settings.mqtt;
  log.info({ version: VERSION, base, ...(settings.choices ? {} : { devices: settings.devices.length }) }, 'heating2mqtt starts');
  const stopped = io.untilSignal();
  const app = await startApp(settings, log);
  await stopped;
  log.info({}, 'stopping');
  await app.stop();
  return 0;
};
