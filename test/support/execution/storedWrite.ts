import type { StoredWrite } from '../../../src/bridge/ports.ts';
import { isListed, isLive, isSent, type Write } from '../../../src/bridge/writes/write/write.ts';

/** A write as its row in the database. */
export const storedOf = (write: Write): StoredWrite => {
  const { key, at, device, feature, ...facts } = write;
  return { key, at, device, feature, facts, isLive: isLive(write), isListed: isSent(write) && isListed(write) };
};
