/** The facts of a broken rule, for its text. */
export type BrokenRule = {
  readonly rule: string;
  /** As in `Issue`. */
  readonly path?: string;
  readonly message: string;
  readonly got?: unknown;
  readonly allowed?: unknown;
  readonly nearest?: readonly unknown[];
};

/** A position in a text. */
export const PLACE_IN_TEXT = [
  (line: string, column: string) => `Line ${line}, character ${column}`,
  (line: string, column: string) => `Zeile ${line}, Zeichen ${column}`,
] as const;

/** The text for a broken rule. */
export type RuleSentence = (broken: BrokenRule) => string;

/** In English, the bridge's own message. */
export const englishRule: RuleSentence = ({ message }) => `${message}.`;
