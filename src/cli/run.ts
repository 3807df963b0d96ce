import { allOverruled, isUnset, readSettings, type Sources, settingsErrorOf } from '../config/load.ts';
import { LogRing } from '../shared/log.ts';
import { VERSION } from '../shared/version.ts';
import { endCutRestore } from '../storage/backup/replaceAll.ts';
import { hubStatistics } from './energy/hubStatistics.ts';
import { type Host, isInContainer, startHost } from './host.ts';
import { pageRoutes } from './setup/pageRoutes.ts';
import type { Io } from './terminal/io.ts';
import { makeLog } from './terminal/log.ts';

type RunIo = Pick<Io, 'env' | 'isTTY' | 'untilSignal'>;

const CUT_RESTORE = {
  finished: 'the restore of a backup was cut off; it is finished now',
  dropped: 'the restore of a backup was cut off before it had changed anything; restore it again',
};

/** `heating2mqtt run`: the bridge with its page, until a signal ends it. Without any settings the page alone, until it has made them. */
export const run = async (sources: Sources, io: RunIo): Promise<number> => {
  const before = readSettings(sources);
  const cut = before.dataDir === undefined ? undefined : endCutRestore(before.dataDir);
  const read = cut ? readSettings(sources) : before;
  // Where there is a mistake, what was loaded may be anything.
  if (!read.settings && !isUnset(read)) throw settingsErrorOf(read);
  const { log: shown, web } = read.settings ?? read.loaded;
  if (!read.settings && !web.enabled) throw settingsErrorOf(read);
  const logRing = new LogRing();
  const { log, configure: configureLog } = await makeLog(shown, io, web.enabled ? logRing : undefined);
  if (cut) log.warn({}, CUT_RESTORE[cut]);
  const stopped = io.untilSignal();
  const { promise: isTaken, reject: onTaken } = Promise.withResolvers<never>();
  let host: Host;
  if (read.settings) {
    const { settings } = read;
    log.info(
      { version: VERSION, base: settings.mqtt.base, ...(settings.choices ? {} : { devices: settings.devices.length }) },
      'heating2mqtt starts',
    );
    const otherwise = allOverruled(read).map(({ path }) => path);
    if (otherwise.length > 0)
      log.info({ settings: otherwise, file: read.page?.name }, 'what the page has set holds, though the settings file says otherwise');
    const routes = pageRoutes(sources, settings.data_dir, () => host);
    host = await startHost(settings, {
      log,
      configureLog,
      logRing,
      isContainer: isInContainer(io),
      routes,
      onTaken,
      hub: hubStatistics(sources),
    });
  } else {
    const { runSetup } = await import('./setup/runSetup.ts');
    host = await runSetup(read, sources, io, { log, configureLog, logRing, onTaken });
  }
  await Promise.race([stopped, isTaken]);
  log.info({}, 'stopping');
  await host.stop();
  return 0;
};
