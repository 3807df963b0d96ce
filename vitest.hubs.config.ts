import { defineConfig } from 'vitest/config';

// Tests with real hubs: minutes, not seconds, and one hub at a time.
export default defineConfig({
  test: {
    // On a shared machine's worst moment a real broker or hub may come too late: tried once more there, and told by the reporter.
    retry: process.env['CI'] ? 1 : 0,
    include: ['test/hubs/**/*.hub.ts'],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 600_000,
  },
});
