import { hostname } from 'node:os';
import { GatewayOwners } from '../../accounts/gatewayOwners.ts';
import { readSettings, type Sources, settingsDespite, settingsErrorOf } from '../../config/load.ts';
import { FleetView } from '../../fleet/fleetView.ts';
import { Worker } from '../../fleet/worker.ts';
import { systemClock } from '../../shared/clock.ts';
import { LogRing } from '../../shared/log.ts';
import { VERSION } from '../../shared/version.ts';
import { text, type Values } from '../command.ts';
import { isInContainer, startPage } from '../host.ts';
import { accountLogins } from '../setup/accountLogins.ts';
import { pageRoutes } from '../setup/pageRoutes.ts';
import type { Io } from '../terminal/io.ts';
import { makeLog } from '../terminal/log.ts';
import { openFleet } from './openFleet.ts';

/** `heating2mqtt worker`: serves accounts of the fleet, with the page, until a signal ends it. */
export const worker = async (sources: Sources, values: Values, io: Io): Promise<number> => {
  const main = readSettings(sources);
  const settings = main.settings ?? settingsDespite(main, sources.cwd);
  if (!settings) throw settingsErrorOf(main);
  const logRing = new LogRing();
  const { log, configure: configureLog } = await makeLog(settings.log, io, settings.web.enabled ? logRing : undefined);
  const stopped = io.untilSignal();
  const store = await openFleet(values, io, log);
  const name = text(values, 'name') ?? io.env['HOSTNAME'] ?? hostname();
  const owners = new GatewayOwners();
  const serving = new Worker({ store, name, main, settings, owners, clock: systemClock, log });
  const view = new FleetView({ worker: serving, store, main, clock: systemClock, log });
  log.info({ version: VERSION, base: settings.mqtt.base, worker: name }, 'heating2mqtt worker starts');
  serving.start();
  const host = startPage(
    settings,
    {
      ...{ log, configureLog, logRing, isContainer: isInContainer(io) },
      accounts: { view, login: accountLogins(systemClock, log) },
      routes: (parts) => pageRoutes(sources, settings.data_dir, () => host)(parts),
    },
    'run',
  );
  await stopped;
  log.info({}, 'stopping');
  await Promise.all([host.stop(), serving.stop()]);
  await store.close();
  return 0;
};
