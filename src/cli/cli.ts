import { CodedError, UsageError } from '../shared/errors.ts';
import { VERSION } from '../shared/version.ts';
import { readArguments } from './arguments.ts';
import type { Io } from './terminal/io.ts';

const showHelp = async (show: Io['out'], command?: string, part?: string): Promise<void> =>
  show((await import('./help.ts')).help(VERSION, command, part));

/** Runs the command and returns the exit code. Rejects with errors for `explain`. */
export const runCli = async (argv: readonly string[], io: Io): Promise<number> => {
  const request = readArguments(argv);
  switch (request.kind) {
    case 'version':
      io.out(VERSION);
      return 0;
    case 'command':
      return request.command.start(request.values, io, request.words);
    case 'help':
      await showHelp(io.out, request.command, request.part);
      return 0;
    case 'usage':
      await showHelp(io.err);
      return 2;
    default:
      return request satisfies never;
  }
};

const traceOf = (error: unknown): string =>
  error instanceof Error
    ? [error.stack ?? error.message, ...(error.cause === undefined ? [] : [`caused by ${traceOf(error.cause)}`])].join('\n')
    : String(error);

/**
 * Prints to standard error why a command failed and returns the exit code: 2 for wrong usage or settings,
 * else 1. Prints a CodedError as its sentence; for other errors it asks for a report. The stack needs
 * `debug`.
 */
export const explain = (error: unknown, debug: boolean, io: Pick<Io, 'err'>): 1 | 2 => {
  const sentence = error instanceof Error && error.message !== '' ? error.message : String(error);
  if (error instanceof CodedError) io.err(sentence);
  else {
    io.err(`Unexpected error in heating2mqtt: ${sentence}`);
    io.err(
      `Please report it to the project: describe what you did, and add ${debug ? 'all of this' : 'the output of the same command with --debug'}.`,
    );
  }
  if (debug && !(error instanceof UsageError)) io.err(traceOf(error));
  return error instanceof UsageError ? 2 : 1;
};
