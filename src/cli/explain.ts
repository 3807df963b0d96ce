import { CodedError, UsageError } from '../shared/errors.ts';
import type { Io } from './io.ts';

const traceOf = (error: unknown): string =>
  error instanceof Error
    ? [error.stack ?? error.message, ...(error.cause === undefined ? [] : [`caused by ${traceOf(error.cause)}`])].join('\n')
    : String(error);

/**
 * Says on standard error what went wrong, and gives the exit code: 2 for wrong usage or settings, else 1. What is known ends with its
 * own sentence; only what isn't asks for a report. The stack is shown with `debug` alone.
 */
export const explain = (error: unknown, debug: boolean, io: Pick<Io, 'err'>): 1 | 2 => {
  const sentence = error instanceof Error && error.message !== '' ? error.message : String(error);
  if (error instanceof CodedError) io.err(sentence);
  else {
    io.err(`heating2mqtt met something unexpected: ${sentence}`);
    io.err(
      `Please report it to the project, with what you did and ${debug ? 'all of this' : 'what the same command prints with --debug'}.`,
    );
  }
  if (debug && !(error instanceof UsageError)) io.err(traceOf(error));
  return error instanceof UsageError ? 2 : 1;
};
