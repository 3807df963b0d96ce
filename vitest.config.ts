import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/unit/**/*.test.ts', 'test/integration/**/*.test.ts'],
    testTimeout: 20_000,
    // What a test waits for comes late on a machine that others use too; a second, as it is by itself, is too short.
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 20_000,
  },
});
