import { defineConfig } from 'vitest/config';

/** The release as its user has it: `npm run build` first. */
export default defineConfig({
  test: {
    include: ['test/release/**/*.test.ts'],
    testTimeout: 60_000,
    // What a test waits for comes late on a machine that others use too; a second, as it is by itself, is too short.
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
  },
});
