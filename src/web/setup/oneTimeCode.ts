import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../shared/clock.ts';

// Without letters that look alike (Crockford's base 32): 5 bits each.
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 65 bits. */
const LENGTH = 13;
const LASTS_MS = 15 * 60_000;

const fresh = (): string => Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** Normalizes user input: ignores blanks, hyphens and case; O is zero, I and L are one. */
const plain = (text: string): string => text.replace(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1');

const digest = (text: string): Uint8Array => hash('sha256', text, 'buffer');

/**
 * The code in the log that gives the machine's owner access to the set-up from another machine. It works
 * once, for 15 minutes; then the log gets a new one. Wrong tries do not invalidate it, so others cannot block
 * it, and 65 bits cannot be guessed.
 */
export const oneTimeCode = (clock: Pick<Clock, 'elapsedMs'>, tell: (code: string, minutes: number) => void) => {
  let code: { readonly text: string; readonly untilMs: number } | undefined;

  /** Shows a code, unless there is a valid one. */
  const show = (): void => {
    if (code && clock.elapsedMs() < code.untilMs) return;
    const text = fresh();
    code = { text, untilMs: clock.elapsedMs() + LASTS_MS };
    tell(text.replace(/^(.{4})(.{4})/, '$1-$2-'), LASTS_MS / 60_000);
  };

  /** True for the right code, which is then invalid. */
  const use = (text: string): boolean => {
    show();
    if (!code || !timingSafeEqual(digest(plain(text)), digest(code.text))) return false;
    code = undefined;
    return true;
  };

  return { show, use };
};

export type OneTimeCode = ReturnType<typeof oneTimeCode>;
