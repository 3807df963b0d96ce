import { defineConfig } from 'vitest/config';

/** The release as its user has it: `npm run build` first. */
export default defineConfig({ test: { include: ['test/release/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 } });
