import { defineConfig } from 'vitest/config';
import { BASE, needing } from './vitest.base.ts';

/** `npm run test:browser`: the page in a real Chromium. */
export default defineConfig({ test: { ...BASE, ...needing('chromium'), include: ['test/browser/**/*.test.ts'], maxWorkers: 2 } });
