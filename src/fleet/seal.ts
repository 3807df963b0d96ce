import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { UsageError } from '../shared/errors.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** The maximum for one account: the rows of some years are a few megabytes. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Compresses and encrypts the data on NATS. `open` throws if the bytes, key or subject do not match. */
export type Seal = {
  /** `subject`: where the bytes are stored. They cannot be opened under another subject. */
  seal(content: string, subject: string): Uint8Array;
  open(bytes: Uint8Array, subject: string): string;
};

/** Uses a secret text of at least 16 characters. NATS does not have it. UsageError if shorter. */
export const sealWith = (secret: string): Seal => {
  if (secret.length < 16)
    throw new UsageError('usage', 'the key of the fleet has fewer than 16 characters: make one with "openssl rand -base64 32"');
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'heating2mqtt fleet', 32));
  return {
    seal: (content, subject) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(subject));
      const sealed = Buffer.concat([cipher.update(deflateRawSync(content)), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
    },
    open: (bytes, subject) => {
      const at = NONCE_BYTES + TAG_BYTES;
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(subject))
        .setAuthTag(bytes.subarray(NONCE_BYTES, at));
      const compressed = Buffer.concat([decipher.update(bytes.subarray(at)), decipher.final()]);
      return inflateRawSync(compressed, { maxOutputLength: MOST_BYTES }).toString('utf8');
    },
  };
};
