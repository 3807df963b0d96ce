/** Facts first, then a fixed sentence: `log.warn({ device, code }, 'device unavailable')`. pino has this shape. */
export interface Log {
  debug(facts: object, sentence: string): void;
  info(facts: object, sentence: string): void;
  warn(facts: object, sentence: string): void;
  error(facts: object, sentence: string): void;
}

/** Drops everything. */
export const SILENT: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

const MOST_ITEMS = 10;

/** The facts of a line as people read them: `device: home, code: timeout`. */
export const factsText = (facts: object): string =>
  Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${valueText(value)}`)
    .join(', ');

const valueText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return JSON.stringify(value);
  const more = value.length > MOST_ITEMS ? [`${value.length - MOST_ITEMS} more`] : [];
  return `[${[...value.slice(0, MOST_ITEMS).map(valueText), ...more].join(', ')}]`;
};

// \u200d joins emoji; what else controls a terminal, a line or the direction of writing is not shown.
const CONTROL = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** The text with U+FFFD for each character that could control what shows it, or end its line: names and modes come from outside. */
export const printable = (text: string): string => text.replace(CONTROL, '\ufffd');

const MOST_LINES = 200;

/** The last lines of the log, as they were written (JSON without secrets), until somebody reads along. */
export class LogRing {
  #lines: string[] = [];
  #reader: ((line: string) => void) | undefined;

  add(line: string): void {
    if (this.#reader) {
      this.#reader(line);
      return;
    }
    this.#lines.push(line);
    if (this.#lines.length > MOST_LINES) this.#lines.shift();
  }

  /** Hands over the lines so far, and each new one from now on; undefined ends that. */
  follow(reader: ((line: string) => void) | undefined): void {
    this.#reader = reader;
    if (!reader) return;
    const lines = this.#lines;
    this.#lines = [];
    for (const line of lines) reader(line);
  }
}
