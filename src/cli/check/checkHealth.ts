import { get } from 'node:http';
import { readAccounts, settingsOfOthers } from '../../config/accounts.ts';
import { isUnset, readSettings, type Sources, settingsErrorOf } from '../../config/load.ts';
import type { Loaded } from '../../config/schema.ts';
import type { Io } from '../terminal/io.ts';
import { areAccountsAlive, isWorkerAlive } from './checkAccounts.ts';
import { askBridge, reportBridge, reportNoBridge } from './checkBridge.ts';
import { markOf, printReport } from './report.ts';

const AT_MOST_MS = 5000;

/**
 * `heating2mqtt check --health`: exit code 0 if the bridge is alive, else 1. It needs only the data folder:
 * settings changed since the start are no reason for a restart. Before the first set-up it checks the page.
 * Throws SettingsError if the settings are wrong and no bridge runs.
 */
export const checkHealth = async (sources: Sources, io: Pick<Io, 'env' | 'out' | 'isTTY'>): Promise<number> => {
  const report = printReport(io);
  const read = readSettings(sources);
  const { dataDir, loaded } = read;
  const answer = dataDir === undefined ? undefined : await askBridge(dataDir);
  if (answer !== undefined) return reportBridge(answer, 'health', report) ? 0 : 1;
  // The accounts of a worker are listed in NATS, which may be unavailable.
  if (dataDir !== undefined && io.env['HEATING2MQTT_NATS']) return (await isWorkerAlive(dataDir, report)) ? 0 : 1;
  if (settingsOfOthers(sources, read)) return (await areAccountsAlive(readAccounts(sources, read), report)) ? 0 : 1;
  if (isUnset(read) && loaded.web.enabled) {
    const isThere = await isPageThere(loaded.web);
    const sentence = isThere ? 'there are no settings yet; make them on the page' : 'there are no settings, and the page does not answer';
    return report(markOf(isThere), 'set-up', sentence) ? 0 : 1;
  }
  if (!read.settings) throw settingsErrorOf(read);
  reportNoBridge(read.settings.data_dir, report);
  return 1;
};

/** Not `fetch`: it refuses ports such as 10080 and addresses with a zone. */
const isPageThere = ({ listen, port }: Pick<Loaded['web'], 'port' | 'listen'>): Promise<boolean> => {
  const host = listen === null || listen === '0.0.0.0' || listen === '::' ? '127.0.0.1' : listen;
  return new Promise((resolve) => {
    const asked = get({ host, port, path: '/health', timeout: AT_MOST_MS }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on('error', () => resolve(false)).on('timeout', () => asked.destroy(new Error('no answer')));
  });
};
