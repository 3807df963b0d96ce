/** The facts of a broken rule that its sentence can name. */
export type BrokenRule = {
  readonly rule: string;
  /** As in `Issue`. */
  readonly path?: string;
  readonly message: string;
  readonly got?: unknown;
  readonly allowed?: unknown;
  readonly nearest?: readonly unknown[];
};

/** What is said of a broken rule. */
export type RuleSentence = (broken: BrokenRule) => string;

/** In English the bridge's own sentence. */
export const englishRule: RuleSentence = ({ message }) => `${message}.`;
