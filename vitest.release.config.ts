import { defineConfig } from 'vitest/config';
import { BASE, needing } from './vitest.base.ts';

/** `npm run test:release`: the release as its user has it, after `npm run build`. */
export default defineConfig({
  test: { ...BASE, ...needing('mosquitto', 'openssl', 'systemd-analyze', 'apparmor_parser'), include: ['test/release/**/*.test.ts'] },
});
