import { percentDecoded } from '../shared/percentDecoded.ts';

/** Letters, digits, `-` and `_` stay; the bytes of others become `=` with two hexadecimal digits, as keys and subjects of NATS take few characters. */
export const keyOf = (name: string): string =>
  name.replaceAll(/[^\w-]/gu, (char) => [...Buffer.from(char)].map((byte) => `=${byte.toString(16).padStart(2, '0')}`).join(''));

/** The key of the lease of an account. */
export const accountLease = (name: string): string => `account.${keyOf(name)}`;

const WORKER = 'worker.';

/** The key of the lease that a worker has while it is there. */
export const workerLease = (name: string): string => `${WORKER}${keyOf(name)}`;

/** The workers that are there, of the keys of all leases. */
export const workersIn = (keys: Iterable<string>): readonly string[] =>
  [...keys].flatMap((key) => (key.startsWith(WORKER) ? [nameOf(key.slice(WORKER.length))] : [])).toSorted();

/** What `keyOf` was made of; of a key that somebody else has made, the key. */
export const nameOf = (key: string): string => percentDecoded(key.replaceAll('=', '%'));
