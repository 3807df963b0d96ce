import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { UsageError } from '../shared/errors.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Of one account: its rows of some years, which are some megabytes. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Compresses and encrypts what lies on NATS: `seal` and `open`. `open` throws where the bytes are damaged, another key's or another subject's. */
export type Seal = {
  /** `subject`: where the bytes will lie; they cannot be opened as those of another one. */
  seal(content: string, subject: string): Uint8Array;
  open(bytes: Uint8Array, subject: string): string;
};

/** From a secret text of at least 16 characters, which NATS does not have. Throws a UsageError for a shorter one. */
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
