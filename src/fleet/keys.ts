import { percentDecoded } from '../shared/percentDecoded.ts';

/** Keeps letters, digits, `-`, `_`. Other bytes become `=` and two hex digits, for NATS keys. */
export const keyOf = (name: string): string =>
  name.replaceAll(/[^\w-]/gu, (char) => [...Buffer.from(char)].map((byte) => `=${byte.toString(16).padStart(2, '0')}`).join(''));

/** The key of the lease of an account. */
export const accountLease = (name: string): string => `account.${keyOf(name)}`;

const WORKER = 'worker.';

/** The key of the lease that a running worker holds. */
export const workerLease = (name: string): string => `${WORKER}${keyOf(name)}`;

/** The running workers, from the keys of all leases. */
export const workersIn = (keys: Iterable<string>): readonly string[] =>
  [...keys].flatMap((key) => (key.startsWith(WORKER) ? [nameOf(key.slice(WORKER.length))] : [])).toSorted();

/** The inverse of `keyOf`. Returns the key itself if another program made it. */
export const nameOf = (key: string): string => percentDecoded(key.replaceAll('=', '%'));
