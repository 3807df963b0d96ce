/** An error with a closed list of codes and a sentence that says what to do next; `cause` is kept for the debug log. */
export class CodedError<Code extends string> extends Error {
  readonly code: Code;
  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** A wrong argument or setting: printed as a sentence without a stack trace; exit code 2. */
export class UsageError extends CodedError<'usage' | 'settings'> {}

/** The sentence of whatever was thrown. */
export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
