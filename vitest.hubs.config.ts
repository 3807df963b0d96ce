import { defineConfig } from 'vitest/config';
import { BASE } from './vitest.base.ts';

/** `npm run test:hubs`: one hub at a time. */
export default defineConfig({
  test: { ...BASE, include: ['test/hubs/**/*.hub.ts'], fileParallelism: false, testTimeout: 180_000, hookTimeout: 600_000 },
});
