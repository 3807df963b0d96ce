import { type SettingsRead, type Sources, settingsErrorOf } from '../../config/load.ts';
import { systemClock } from '../../shared/clock.ts';
import { makeDataDir } from '../../storage/dataDir.ts';
import { oneTimeCode } from '../../web/setup/oneTimeCode.ts';
import { type Host, type HostOptions, startPage } from '../host.ts';
import { pageRoutes } from './pageRoutes.ts';

/** Lines in a frame, for the log of a container that a person reads. */
const framed = (lines: readonly string[]): string => {
  const width = Math.max(...lines.map(({ length }) => length));
  const edge = `+${'-'.repeat(width + 2)}+`;
  return [edge, ...lines.map((line) => `| ${line.padEnd(width)} |`), edge].join('\n');
};

/**
 * Starts only the page, which makes the settings; the bridge starts afterwards. `print`: prints the page's
 * code in a frame for log readers. Throws SettingsError if no data folder is known.
 */
export const runSetup = async (
  read: SettingsRead,
  sources: Sources,
  options: HostOptions,
  print?: (text: string) => void,
): Promise<Host> => {
  const settings = read.settingsSoFar;
  if (!settings) throw settingsErrorOf(read);
  makeDataDir(settings.data_dir);
  const missing = read.mistakes.map(({ path }) => path.join('.'));
  const where = sources.env.SUPERVISOR_TOKEN
    ? 'on the page that "Open web UI" of this app shows in Home Assistant'
    : 'on the page, or write a settings file (`heating2mqtt settings --yaml`)';
  const tell = (shown: string, minutes: number): void => {
    const [address = 'the page'] = host.web()?.addresses() ?? [];
    if (print)
      print(
        framed([
          'heating2mqtt has no settings yet.',
          `Open ${address}`,
          `and enter the code ${shown} (valid for ${minutes} minutes, works once).`,
        ]),
      );
    else {
      const sentence = `no settings yet: open the page in a browser and enter the code ${shown} (it works once, for ${minutes} minutes)`;
      options.log.warn({ code: shown, minutes }, sentence);
    }
  };
  const code = oneTimeCode(systemClock, tell);
  const host: Host = startPage(settings, { ...options, routes: pageRoutes(sources, settings.data_dir, () => host, code) });
  await host.ready;
  // If the port is in use, the first visit shows the code once the page is served.
  const web = host.web();
  if (web?.entry() === 'code' && web.addresses().length > 0) code.show();
  else options.log.warn({ missing }, `there are no settings yet: make them ${where}`);
  return host;
};
