import { lineColumns } from '../../shared/issue.ts';

const BLANKS = /(?:[^\S\r\n]|[\u200b\u2060])*/uy;
/** Between the ends of a range, of days or of times. */
export const DASH = /[\p{Pd}\u2212]|(?:to|bis)(?![\p{L}\p{M}])/iuy;
const ANY_BLANKS = /[\s\u200b\u2060]*/uy;

/** Reads a text left to right with sticky patterns; it never goes back, so it takes linear time. */
export class TextScanner {
  readonly #text: string;
  readonly #placeAt: (offset: number) => string;
  #at = 0;

  /** `outerPlace`: the place of the text in the payload, if it is part of something else. */
  constructor(text: string, outerPlace: string) {
    const placeAt = lineColumns(text);
    this.#text = text;
    this.#placeAt = (offset) => (outerPlace === '' ? placeAt(offset) : `${outerPlace} ${placeAt(offset)}`);
  }

  get ended(): boolean {
    return this.#at >= this.#text.length;
  }

  /** `line:column` of an offset, by default of the next character. */
  placeOf(offset = this.#at): string {
    return this.#placeAt(offset);
  }

  /** Consumes and returns the text that matches here; undefined if nothing matches. */
  take(pattern: RegExp): string | undefined {
    const found = this.peek(pattern);
    this.#at += found?.length ?? 0;
    return found;
  }

  /** Returns the text that matches here without consuming it. */
  peek(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0];
  }

  skipBlanks(): void {
    this.take(BLANKS);
  }

  skipBlanksAndLines(): void {
    this.take(ANY_BLANKS);
  }
}
