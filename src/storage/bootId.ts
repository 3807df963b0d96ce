import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

/** Something that changes with each start of the machine. */
export const bootId = (): string => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Elsewhere the moment of the start, to the minute: close enough to tell one start from another.
    return `boot-${Math.round((Date.now() / 1000 - uptime()) / 60)}`;
  }
};
