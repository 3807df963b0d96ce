import { defineConfig } from 'vitest/config';
import { BASE, folderFrom, needing } from './vitest.base.ts';

const OWN = new URL('test/hubs/install', import.meta.url).pathname;
/** Without another folder, the project's own scripts, which keep what they install in the cache of the user. */
process.env['HUBS'] ??= OWN;
const hubs = folderFrom('HUBS', 'the scripts that install and start hubs', '{home-assistant,node-red}/start');
const HUB = {
  ...BASE,
  ...needing('mosquitto', 'chromium', 'venv'),
  fileParallelism: false,
  testTimeout: 180_000,
  hookTimeout: 600_000,
};
const OF_RECORDED = 'test/hubs/home-assistant-recorded.hub.ts';

/** `npm run test:hubs`, and with real devices `npm run test:hubs-recorded`: one hub at a time. */
export default defineConfig(({ mode }) => ({
  test:
    mode === 'recorded'
      ? {
          ...HUB,
          env: { ...BASE.env, HUBS: hubs, TEST_DEVICES: folderFrom('RECORDED', 'records of real devices', '*.json') },
          include: [OF_RECORDED],
        }
      : { ...HUB, env: { ...BASE.env, HUBS: hubs }, include: ['test/hubs/**/*.hub.ts'], exclude: [OF_RECORDED] },
}));
