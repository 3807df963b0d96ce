import { readFileSync } from 'node:fs';
import { type App, startApp } from '../src/app.ts';
import { makeLog } from '../src/cli/terminal/log.ts';
import type { Settings } from '../src/config/settings.ts';

/** Without a pause none would hear the broker before all are started. */
const START_EVERY_MS = 150;

/** The process of `npm run bench:fleet`: starts an account for each of the settings in the file `TASK`, one after another; ends with SIGTERM. */
const run = async (all: readonly Settings[]): Promise<void> => {
  const { log } = await makeLog({ level: 'info', format: 'json' }, { env: {}, isTTY: false });
  const apps: App[] = [];
  process.once('SIGTERM', () => void Promise.all(apps.map((app) => app.stop())).then(() => process.exit()));
  for (const settings of all) {
    apps.push(await startApp(settings, log));
    await new Promise((done) => setTimeout(done, START_EVERY_MS));
  }
};

void run(JSON.parse(readFileSync(process.env['TASK'] ?? '', 'utf8')));
