import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BASE, folderFrom } from './vitest.base.ts';

const env = { ...BASE.env, TEST_DEVICES: folderFrom('RECORDED', 'records of real devices', '*.json') };

/** Tests of `npm test` that look at every device. */
const overDevices = globSync('test/{unit,integration}/**/*.test.ts').filter((file) =>
  /\ball(?:Devices|Features|Records)\(|\bDEVICES\b.*deviceFiles\.ts/.test(readFileSync(file, 'utf8')),
);

/** `npm run test:recorded`: the same over real devices, and their golden files. */
export default defineConfig({
  test: {
    ...BASE,
    env,
    globalSetup: ['test/support/system/compileCache.ts'],
    include: ['test/recorded/**/*.test.ts', ...overDevices],
    isolate: false,
  },
});
