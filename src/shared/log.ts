/** Facts first, then a fixed sentence: `log.warn({ device, code }, 'device unavailable')`. pino has this shape. */
export interface Log {
  debug(facts: object, sentence: string): void;
  info(facts: object, sentence: string): void;
  warn(facts: object, sentence: string): void;
  error(facts: object, sentence: string): void;
}

const MOST_LINES = 200;

/** The last lines of the log, as they were written: JSON without secrets. */
export class LogRing {
  /** Called with each new line, while somebody reads along. */
  onLine: ((line: string) => void) | undefined;
  readonly #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > MOST_LINES) this.#lines.shift();
    this.onLine?.(line);
  }

  get lines(): readonly string[] {
    return this.#lines;
  }
}
