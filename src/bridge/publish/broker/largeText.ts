import { sha1 } from '../../../shared/message.ts';

/** A Home Assistant document has some hundred kilobytes; compressed, a tenth of that. */
const LARGE = 16_384;

/** Loaded at first use, to keep the start fast. */
const zlib = () => process.getBuiltinModule('node:zlib');

/** The digest of an empty payload, which clears a topic. */
export const CLEARED = '';

const DIGEST_LENGTH = 12;

/** Differs if two texts differ. A short text is its own digest, without lone surrogates: neither MQTT nor SQLite keeps them. */
export const digest = (text: string): string =>
  text.length < DIGEST_LENGTH ? text.toWellFormed() : sha1(text, 'base64').slice(0, DIGEST_LENGTH);

/** A text that may be large and is rarely needed; `compress` compresses it. */
export class LargeText {
  #kept: string | Uint8Array;
  #hash: string | undefined;

  constructor(text: string) {
    this.#kept = text;
  }

  /** Its digest, computed lazily: at a start, the database already has those of the documents. */
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

  /** Takes some milliseconds. Does nothing if the text is small or already compressed. */
  compress(): void {
    if (typeof this.#kept !== 'string' || this.#kept.length <= LARGE) return;
    // A copy: the zlib result may be a slice of a Node pool and would keep all 64 kB of it alive.
    this.#kept = new Uint8Array(zlib().deflateRawSync(this.#kept, { level: 1 }));
  }
}
