import { defineConfig } from 'vitest/config';
import { BASE, needing } from './vitest.base.ts';

/** `npm run test:images`: the container images, built without Docker and run without a registry. */
export default defineConfig({
  test: {
    ...BASE,
    ...needing('buildah', 'mmdebstrap', 'unshare', 'nsenter'),
    include: ['test/images/**/*.test.ts'],
    hookTimeout: 900_000,
  },
});
