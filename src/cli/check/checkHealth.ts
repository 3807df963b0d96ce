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
 * `heating2mqtt check --health`: exit code 0 where the bridge is alive, else 1. It only needs the data folder: what was written into the
 * settings since the bridge started is no reason to start it again. Before the first set-up the page is asked. Throws SettingsError where the
 * settings are wrong and no bridge runs.
 */
export const checkHealth = async (sources: Sources, io: Pick<Io, 'env' | 'out' | 'isTTY'>): Promise<number> => {
  const report = printReport(io);
  const read = readSettings(sources);
  const { dataDir, loaded } = read;
  const answer = dataDir === undefined ? undefined : await askBridge(dataDir);
  if (answer !== undefined) return reportBridge(answer, 'health', report) ? 0 : 1;
  // Which accounts a worker serves is written at NATS, which may be away.
  if (dataDir !== undefined && io.env['HEATING2MQTT_NATS']) return (await isWorkerAlive(dataDir, report)) ? 0 : 1;
  if (settingsOfOthers(sources, read)) return (await areAccountsAlive(readAccounts(sources, read), report)) ? 0 : 1;
  if (isUnset(read) && loaded.web.enabled) {
    const isThere = await isPageThere(loaded.web);
    const sentence = isThere ? 'there are no settings yet; the page makes them' : 'there are no settings, and no page that could make them';
    return report(markOf(isThere), 'set-up', sentence) ? 0 : 1;
  }
  if (!read.settings) throw settingsErrorOf(read);
  reportNoBridge(read.settings.data_dir, report);
  return 1;
};

/** Not by `fetch`, which refuses ports such as 10080, and addresses with a zone. */
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
