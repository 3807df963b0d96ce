const BLANKS = /(?:[^\S\r\n]|[\u200b\u2060])*/uy;
const ANY_BLANKS = /[\s\u200b\u2060]*/uy;

/** Walks over a text from left to right and never back: what is asked of it takes time that grows with the length of the text. */
export class TextScanner {
  readonly text: string;
  #at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Offset of what comes next. */
  get at(): number {
    return this.#at;
  }

  get ended(): boolean {
    return this.#at >= this.text.length;
  }

  /** What fits the pattern (sticky) here, and is passed over; undefined where nothing does. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  /** What would fit here, not passed over. */
  peek(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.text)?.[0];
  }

  skipBlanks(): void {
    this.take(BLANKS);
  }

  skipBlanksAndLines(): void {
    this.take(ANY_BLANKS);
  }
}
