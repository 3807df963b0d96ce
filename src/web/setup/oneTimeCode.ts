import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../shared/clock.ts';

// Without letters that look like others (Crockford's base 32): 5 bits each.
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 65 bits. */
const LENGTH = 13;
const LASTS_MS = 15 * 60_000;

const fresh = (): string => Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** As people type it: blanks and hyphens do not count, nor whether letters are small; O is zero, I and L are one. */
const plain = (text: string): string => text.replace(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1');

const digest = (text: string): Uint8Array => hash('sha256', text, 'buffer');

/**
 * The code in the log that lets the owner of this machine into the set-up from another one. It works once, for 15 minutes; then another one
 * is in the log. Wrong tries do not end it: so others cannot take it away, and nobody guesses 65 bits.
 */
export class OneTimeCode {
  readonly #clock: Pick<Clock, 'elapsedMs'>;
  readonly #tell: (code: string, minutes: number) => void;
  #code: { readonly text: string; readonly untilMs: number } | undefined;

  /** `tell` shows a code to the owner, with the minutes for which it works. */
  constructor(clock: Pick<Clock, 'elapsedMs'>, tell: (code: string, minutes: number) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Shows a code, unless there is one that still works. */
  show(): void {
    if (this.#code && this.#clock.elapsedMs() < this.#code.untilMs) return;
    const text = fresh();
    this.#code = { text, untilMs: this.#clock.elapsedMs() + LASTS_MS };
    this.#tell(text.replace(/^(.{4})(.{4})/, '$1-$2-'), LASTS_MS / 60_000);
  }

  /** True for the right code, which then works no more. */
  use(text: string): boolean {
    this.show();
    if (!this.#code || !timingSafeEqual(digest(plain(text)), digest(this.#code.text))) return false;
    this.#code = undefined;
    return true;
  }
}
