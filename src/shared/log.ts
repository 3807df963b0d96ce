/** Facts first, then a fixed message, as in pino: `log.warn({ device, code }, 'device unavailable')`. */
export interface Log {
  debug(facts: object, sentence: string): void;
  info(facts: object, sentence: string): void;
  warn(facts: object, sentence: string): void;
  error(facts: object, sentence: string): void;
}

/** Discards all entries. */
export const SILENT: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** A log that adds these facts to each line. */
export const withFacts = (log: Log, more: object): Log => ({
  debug: (facts, sentence) => log.debug({ ...more, ...facts }, sentence),
  info: (facts, sentence) => log.info({ ...more, ...facts }, sentence),
  warn: (facts, sentence) => log.warn({ ...more, ...facts }, sentence),
  error: (facts, sentence) => log.error({ ...more, ...facts }, sentence),
});

const MOST_ITEMS = 10;

/** The facts of a line in readable form: `device: home, code: timeout`. */
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

// Keeps \u200d (joins emoji). Replaces other characters that control a terminal, line or text direction.
const CONTROL = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Replaces control characters in names and modes (external input) with U+FFFD. */
export const printable = (text: string): string => text.replace(CONTROL, '\ufffd');

const MOST_LINES = 200;

/** The last log lines (JSON without secrets), until a reader follows. */
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

  /** Passes the buffered lines and each new line to `reader`; undefined stops it. */
  follow(reader: ((line: string) => void) | undefined): void {
    this.#reader = reader;
    if (!reader) return;
    const lines = this.#lines;
    this.#lines = [];
    for (const line of lines) reader(line);
  }
}
