import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { HASHED } from '../../config/validation/webChecks.ts';

/** A parameter set of OWASP's Password Storage Cheat Sheet: 16 MB and some 150 ms. */
const COST = { N: 2 ** 14, r: 8, p: 5, maxmem: 64 * 1024 * 1024 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;

const derive: (text: string, salt: Uint8Array) => Promise<Buffer> = (text, salt) =>
  promisify<string, Uint8Array, number, typeof COST, Buffer>(scrypt)(text.normalize('NFC'), salt, KEY_BYTES, COST);

const printed = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replaceAll('=', '');

export const isHashed = (password: string): boolean => HASHED.test(password);

/** The hashed password for the settings: `scrypt$<salt>$<digest>`. */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(SALT_BYTES);
  return `scrypt$${printed(salt)}$${printed(await derive(password, salt))}`;
};

/** True if `hashed` is the hash of this password. */
export const isPassword = async (password: string, hashed: string): Promise<boolean> => {
  const [, salt = '', digest = ''] = hashed.split('$');
  const wanted = Buffer.from(digest, 'base64');
  const derived = await derive(password, Buffer.from(salt, 'base64'));
  return wanted.length === derived.length && timingSafeEqual(wanted, derived);
};
