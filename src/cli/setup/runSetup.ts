import { type SettingsRead, type Sources, settingsDespite, settingsErrorOf } from '../../config/load.ts';
import { systemClock } from '../../shared/clock.ts';
import { makeDataDir } from '../../storage/dataDir.ts';
import { OneTimeCode } from '../../web/setup/oneTimeCode.ts';
import { type Host, type HostOptions, startPage } from '../host.ts';
import { pageRoutes } from './pageRoutes.ts';

/** Starts the page alone, which makes the settings; the bridge starts when they are made. Throws SettingsError where no data folder is known. */
export const runSetup = async (read: SettingsRead, sources: Sources, options: HostOptions): Promise<Host> => {
  const settings = settingsDespite(read, sources.cwd);
  if (!settings) throw settingsErrorOf(read);
  makeDataDir(settings.data_dir);
  const missing = read.mistakes.map(({ path }) => path.join('.'));
  const where = sources.env.SUPERVISOR_TOKEN
    ? 'on the page that "Open web UI" of this app shows in Home Assistant'
    : 'on the page, or begin with `heating2mqtt settings --yaml`';
  options.log.warn({ missing }, `there are no settings yet: make them ${where}`);
  const code = new OneTimeCode(systemClock, options.log);
  const host: Host = startPage(settings, { ...options, routes: pageRoutes(sources, settings.data_dir, () => host, code) });
  await host.ready;
  // Where the port is taken, the first visit of the page shows the code, once it is served.
  const web = host.web();
  if (web?.entry() === 'code' && web.addresses().length > 0) code.show();
  return host;
};
