import type { Settings } from '../config/settings.ts';
import { LogRing } from '../shared/log.ts';
import { VERSION } from '../shared/version.ts';
import { isInContainer, startHost } from './host.ts';
import type { Io } from './terminal/io.ts';
import { makeLog } from './terminal/log.ts';

/** `heating2mqtt run`: the bridge with its page, until a signal ends it. */
export const run = async (settings: Settings, io: Pick<Io, 'env' | 'isTTY' | 'untilSignal'>): Promise<number> => {
  const logRing = new LogRing();
  const log = await makeLog(settings.log, io.isTTY, settings.web.enabled ? logRing : undefined);
  const { base } = settings.mqtt;
  log.info({ version: VERSION, base, ...(settings.choices ? {} : { devices: settings.devices.length }) }, 'heating2mqtt starts');
  const stopped = io.untilSignal();
  const host = await startHost(settings, { log, logRing, isContainer: isInContainer(io) });
  await stopped;
  log.info({}, 'stopping');
  await host.stop();
  return 0;
};
