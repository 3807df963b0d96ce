#!/usr/bin/env node
import { CodedError, UsageError } from './base/errors.ts';
import { VERSION } from './base/version.ts';
import { readArguments } from './cli/arguments.ts';
import { type Io, processIo } from './cli/io.ts';

// Whatever a command has left open keeps the process for so long at most.
const LINGER_MS = 1000;

const wantsDebug = (argv: readonly string[], { env }: Io): boolean => argv.includes('--debug') || env.HEATING2MQTT_LOG_LEVEL === 'debug';

/** Says what went wrong, for people; gives the exit code. */
const explain = (error: unknown, debug: boolean, io: Io): number => {
  const sentence = error instanceof Error ? error.message : String(error);
  if (error instanceof CodedError) io.err(sentence);
  else {
    io.err(`heating2mqtt met something unexpected: ${sentence}`);
    io.err(
      `Please report it to the project, with what you did${debug ? ' and all of this' : ' and what the same command prints with --debug'}.`,
    );
  }
  if (debug && !(error instanceof UsageError) && error instanceof Error) io.err(inspected(error));
  return error instanceof UsageError ? 2 : 1;
};

const inspected = (error: Error): string =>
  [error.stack ?? error.message, ...(error.cause instanceof Error ? [`caused by ${inspected(error.cause)}`] : [])].join('\n');

const main = async (argv: readonly string[], io: Io): Promise<number> => {
  const request = await readArguments(argv);
  switch (request.kind) {
    case 'version':
      io.out(VERSION);
      return 0;
    case 'command':
      return request.command.start(request.values, io);
    case 'help':
      io.out((await import('./cli/help.ts')).help(VERSION, request.command));
      return 0;
    case 'usage':
      io.err((await import('./cli/help.ts')).help(VERSION));
      return 2;
    default:
      return request satisfies never;
  }
};

const argv = process.argv.slice(2);
const io = processIo();
process.on('uncaughtException', (error) => process.exit(explain(error, wantsDebug(argv, io), io)));
void main(argv, io)
  .catch((error: unknown) => explain(error, wantsDebug(argv, io), io))
  .then((code) => {
    process.exitCode = code;
    setTimeout(() => process.exit(), LINGER_MS).unref();
  });
