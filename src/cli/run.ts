import { once } from 'node:events';
import { startApp } from '../app.ts';
import { loadSettings } from '../config/load.ts';
import { UsageError } from '../shared/errors.ts';
import { VERSION } from '../shared/version.ts';
import type { Io } from './io.ts';
import { makeLog } from './log.ts';

const EXAMPLE =
  'devices:\n  - { name: home, installation: 123456, gateway: "7571381699991111", device: "0", features: [heating.circuits.0.heating.schedule] }';

/** `heating2mqtt run`: the bridge, until a signal ends it. */
export const run = async (options: { readonly config?: string }, io: Io): Promise<number> => {
  const settings = loadSettings({ ...(options.config === undefined ? {} : { file: options.config }), env: io.env, cwd: io.cwd });
  if (settings.devices.length === 0 && !settings.choices)
    throw new UsageError('settings', `devices: nothing is named that could be read; for example\n${EXAMPLE}`);
  const log = await makeLog(settings.log, io.isTTY);
  const { base } = settings.mqtt;
  log.info({ version: VERSION, base, ...(settings.choices ? {} : { devices: settings.devices.length }) }, 'heating2mqtt starts');
  const ended = new EventTarget();
  const signal = once(ended, 'stop');
  io.onSignal(() => ended.dispatchEvent(new Event('stop')));
  const app = await startApp(settings, log);
  await signal;
  log.info({}, 'stopping');
  await app.stop();
  return 0;
};
