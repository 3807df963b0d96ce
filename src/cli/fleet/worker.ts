import { hostname } from 'node:os';
import { GatewayOwners } from '../../accounts/gatewayOwners.ts';
import { readSettings, type Sources, settingsErrorOf } from '../../config/load.ts';
import type { FleetStore } from '../../fleet/fleetStore.ts';
import { fleetView } from '../../fleet/fleetView.ts';
import { NatsUnanswered } from '../../fleet/openNats.ts';
import { Worker } from '../../fleet/worker.ts';
import { systemClock, within } from '../../shared/clock.ts';
import { type Log, LogRing } from '../../shared/log.ts';
import { VERSION } from '../../shared/version.ts';
import { checkDataDir, StorageError } from '../../storage/dataDir.ts';
import { type Route, refused } from '../../web/routes.ts';
import { text, type Values } from '../command.ts';
import { isInContainer, startPage } from '../host.ts';
import { accountLogins } from '../setup/accountLogins.ts';
import { pageRoutes } from '../setup/pageRoutes.ts';
import type { Io } from '../terminal/io.ts';
import { makeLog } from '../terminal/log.ts';
import { openFleet } from './openFleet.ts';

/** Workers and nodes start together, and JetStream becomes available later. */
const AGAIN_MS = 2000;
/** Enough to hand over hundreds of accounts via NATS; below the Kubernetes limit (docs/fleet-nats.md). */
const STOP_WITHIN_MS = 110_000;

const SENTENCE = 'This is a worker of a fleet: change its settings in the settings file. The accounts are stored on NATS: back up NATS.';
const NO_SETTINGS = refused(409, 'worker', SENTENCE);

/** No settings changes or backups: a restart with other settings would ignore the account leases. */
export const workerRoutes = (routes: readonly Route[]): readonly Route[] =>
  routes.map((route) => {
    const isRefused = route.path.startsWith('api/backup') || (route.method === 'POST' && /^api\/(settings|setup)/.test(route.path));
    return isRefused ? { ...route, handle: () => NO_SETTINGS } : route;
  });

/** Opens the fleet once NATS answers; undefined if a signal comes first. Throws a UsageError. */
const openOnceThere = async (values: Values, io: Io, log: Log, stopped: Promise<unknown>): Promise<FleetStore | undefined> => {
  const isStopped = stopped.then(() => true);
  for (let told = ''; ; ) {
    try {
      return await openFleet(values, io, log);
    } catch (cause) {
      if (!(cause instanceof NatsUnanswered)) throw cause;
      if (told !== cause.message) log.warn({ why: cause.message }, 'NATS does not answer yet; trying again');
      told = cause.message;
    }
    if (await within(systemClock, AGAIN_MS, isStopped)) return undefined;
  }
};

/** `heating2mqtt worker`: serves accounts of the fleet, with the page, until a signal ends it. */
export const worker = async (sources: Sources, values: Values, io: Io): Promise<number> => {
  const main = readSettings(sources);
  const settings = main.settingsSoFar;
  if (!settings) throw settingsErrorOf(main);
  try {
    checkDataDir(settings.data_dir);
  } catch (cause) {
    // If the disk is read-only for now, this worker leaves its accounts to others.
    if (!(cause instanceof StorageError)) throw cause;
  }
  const logRing = new LogRing();
  const { log, configure: configureLog } = await makeLog(settings.log, io, settings.web.enabled ? logRing : undefined);
  const stopped = io.untilSignal(() => STOP_WITHIN_MS);
  let serving: Worker | undefined;
  // Set before NATS answers: without a handler SIGHUP would end the process.
  io.onHangUp(() => serving?.startAgain());
  const store = await openOnceThere(values, io, log, stopped);
  if (!store) return 0;
  const name = text(values, 'name') || io.env['HOSTNAME'] || hostname();
  const owners = new GatewayOwners();
  serving = new Worker({ store, name, main, settings, owners, clock: systemClock, log });
  const view = fleetView({ worker: serving, store, main, clock: systemClock, log });
  log.info({ version: VERSION, base: settings.mqtt.base, worker: name }, 'heating2mqtt worker starts');
  serving.start();
  const host = startPage(
    settings,
    {
      ...{ log, configureLog, logRing, isContainer: isInContainer(io) },
      accounts: { view, login: accountLogins(systemClock, log) },
      routes: async (parts) => workerRoutes(await pageRoutes(sources, settings.data_dir, () => host)(parts)),
    },
    'run',
  );
  await stopped;
  log.info({}, 'stopping');
  await Promise.all([host.stop(), serving.stop()]);
  await store.close();
  return 0;
};
