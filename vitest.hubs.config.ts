import { defineConfig } from 'vitest/config';
import { BASE, needing } from './vitest.base.ts';

/** `npm run test:hubs`: one hub at a time. */
export default defineConfig({
  test: {
    ...BASE,
    ...needing('mosquitto', 'chromium', 'venv'),
    include: ['test/hubs/**/*.hub.ts'],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 600_000,
  },
});
