import { defineConfig } from 'vitest/config';
import { BASE } from './vitest.base.ts';

/** `npm run test:release`: the release as its user has it, after `npm run build`. */
export default defineConfig({ test: { ...BASE, include: ['test/release/**/*.test.ts'] } });
