import { defineConfig } from 'vitest/config';
import { BASE } from './vitest.base.ts';

/** `npm run test:images`: the container images, built without Docker and run without a registry. */
export default defineConfig({ test: { ...BASE, include: ['test/images/**/*.test.ts'], hookTimeout: 900_000 } });
