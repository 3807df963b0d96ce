import { makeAccounts } from '../accounts/accounts.ts';
import { GatewayOwners } from '../accounts/gatewayOwners.ts';
import { settingsOfOthers } from '../config/accounts.ts';
import { allOverruled, isUnset, readSettings, type Sources, settingsErrorOf } from '../config/load.ts';
import { systemClock } from '../shared/clock.ts';
import { LogRing } from '../shared/log.ts';
import { VERSION } from '../shared/version.ts';
import { endCutRestore } from '../storage/backup/replaceAll.ts';
import { checkDataDir } from '../storage/dataDir.ts';
import { hubStatistics } from './energy/hubStatistics.ts';
import { type Host, type HostOptions, isInContainer, startHost, startPage } from './host.ts';
import { accountLogins } from './setup/accountLogins.ts';
import { pageRoutes } from './setup/pageRoutes.ts';
import { type Io, STOP_WITHIN_MS } from './terminal/io.ts';
import { makeLog } from './terminal/log.ts';

/** The additional stop time for each further account. */
const STOP_EACH_MS = 100;

type RunIo = Pick<Io, 'env' | 'isTTY' | 'err' | 'untilSignal' | 'onHangUp'>;

const CUT_RESTORE = {
  finished: 'the restore of a backup was interrupted; it is complete now',
  dropped: 'the restore of a backup was interrupted before it changed anything; restore it again',
};

/**
 * `heating2mqtt run`: the bridge, its page and the further accounts, until a signal ends it. Without settings
 * it runs only the page until the user makes them. SIGHUP rereads the account entries.
 */
export const run = async (sources: Sources, io: RunIo): Promise<number> => {
  const before = readSettings(sources);
  if (before.dataDir !== undefined) checkDataDir(before.dataDir);
  const cut = before.dataDir === undefined ? undefined : endCutRestore(before.dataDir);
  const read = cut ? readSettings(sources) : before;
  const onlyOthers = settingsOfOthers(sources, read);
  // After a mistake, the loaded values are not reliable.
  if (!read.settings && !onlyOthers && !isUnset(read)) throw settingsErrorOf(read);
  const { log: shown, web } = read.settings ?? read.loaded;
  if (!read.settings && !onlyOthers && !web.enabled) throw settingsErrorOf(read);
  const logRing = new LogRing();
  const { log, configure: configureLog } = await makeLog(shown, io, web.enabled ? logRing : undefined);
  if (cut) log.warn({}, CUT_RESTORE[cut]);
  const stopped = io.untilSignal(() => STOP_WITHIN_MS + STOP_EACH_MS * accounts.list().length);
  const { promise: isTaken, reject: onTaken } = Promise.withResolvers<never>();
  let host: Host | undefined;
  const owners = new GatewayOwners();
  const accounts = makeAccounts({ sources, owners, main: () => host?.app(), clock: systemClock, log }, read);
  const options = {
    ...{ log, configureLog, logRing, onTaken, isContainer: isInContainer(io), hub: hubStatistics(sources) },
    accounts: { view: accounts, login: accountLogins(systemClock, log) },
    ...{ gateways: owners.of('', log, accounts.changed), isForeign: accounts.isForeign, changed: accounts.changed, others: accounts },
  };
  io.onHangUp(async () => {
    await host?.settled();
    await accounts.reconcile({ stoppedToo: true });
  });
  const settings = read.settings ?? onlyOthers;
  if (settings) {
    log.info(
      { version: VERSION, base: settings.mqtt.base, ...(settings.choices ? {} : { devices: settings.devices.length }) },
      'heating2mqtt starts',
    );
    const otherwise = allOverruled(read).map(({ path }) => path);
    if (otherwise.length > 0)
      log.info(
        { settings: otherwise, file: read.page?.name },
        'the page and the settings file set these settings differently; the values of the page apply',
      );
    const routes: HostOptions['routes'] = (parts) => pageRoutes(sources, settings.data_dir, () => host as Host)(parts);
    host = onlyOthers ? startPage(settings, { ...options, routes }, 'run') : await startHost(settings, { ...options, routes });
  } else {
    const { runSetup } = await import('./setup/runSetup.ts');
    host = await runSetup(read, sources, options, read.loaded.log.format === 'json' ? undefined : (text) => io.err(text));
  }
  void accounts.reconcile();
  await Promise.race([stopped, isTaken]);
  log.info({}, 'stopping');
  await Promise.all([host.stop(), accounts.stop()]);
  return 0;
};
