import { defineConfig } from 'vitest/config';

// Tests with real hubs: minutes, not seconds, and one hub at a time.
export default defineConfig({
  test: {
    include: ['test/hubs/**/*.hub.ts'],
    fileParallelism: false,
    testTimeout: 180_000,
    // What a test waits for comes late on a machine that others use too; a second, as it is by itself, is too short.
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 600_000,
  },
});
