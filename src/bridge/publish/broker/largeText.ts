import { sha1 } from '../../../shared/message.ts';

/** A document for Home Assistant has some hundred kilobytes, and a tenth of that compressed. */
const LARGE = 16_384;

/** Loaded at its first use: a start does not wait for it. */
const zlib = () => process.getBuiltinModule('node:zlib');

/** The digest of an empty payload, which clears a topic. */
export const CLEARED = '';

const DIGEST_LENGTH = 12;

/** Characters that differ where two texts differ: most values are as short, and need no computing. */
export const digest = (text: string): string => (text.length < DIGEST_LENGTH ? text : sha1(text, 'base64').slice(0, DIGEST_LENGTH));

/** A text that may be large and is seldom needed: compressed from `compress` on. */
export class LargeText {
  #kept: string | Uint8Array;
  #hash: string | undefined;

  constructor(text: string) {
    this.#kept = text;
  }

  /** Its digest, which a start does not wait for: the documents of the run before are in the database by then. */
  get hash(): string {
    this.#hash ??= digest(this.text);
    return this.#hash;
  }

  get text(): string {
    return typeof this.#kept === 'string' ? this.#kept : zlib().inflateRawSync(this.#kept).toString();
  }

  is(text: string): boolean {
    return typeof this.#kept === 'string' ? this.#kept === text : this.hash === digest(text);
  }

  /** Takes some milliseconds; nothing for a text that is not large, or compressed already. */
  compress(): void {
    if (typeof this.#kept !== 'string' || this.#kept.length <= LARGE) return;
    // A copy: what zlib gives may be a part of one of Node's pools, and would keep all 64 kB of it.
    this.#kept = new Uint8Array(zlib().deflateRawSync(this.#kept, { level: 1 }));
  }
}
