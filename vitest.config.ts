import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/unit/**/*.test.ts', 'test/integration/**/*.test.ts'],
    // Days of virtual time and bridges killed by the dozen keep a slow machine busy for long.
    testTimeout: 60_000,
    // What a test waits for comes late on a machine that others use too; a second, as it is by itself, is too short.
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
  },
});
