import { defineConfig } from 'vitest/config';

/** The release as its user has it: `npm run build` first. */
export default defineConfig({
  test: {
    // On a shared machine's worst moment a real broker or hub may come too late: tried once more there, and told by the reporter.
    retry: process.env['CI'] ? 1 : 0,
    include: ['test/release/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
