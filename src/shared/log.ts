/** Facts first, then a fixed sentence: `log.warn({ device, code }, 'device unavailable')`. pino has this shape. */
export interface Log {
  debug(facts: object, sentence: string): void;
  info(facts: object, sentence: string): void;
  warn(facts: object, sentence: string): void;
  error(facts: object, sentence: string): void;
}
