#!/usr/bin/env node
import { readArguments } from './cli/arguments.ts';
import { type Io, processIo } from './cli/io.ts';
import { VERSION } from './shared/version.ts';

// Whatever a command has left open keeps the process for so long at most.
const LINGER_MS = 1000;

const main = async (argv: readonly string[], io: Io): Promise<number> => {
  const request = await readArguments(argv);
  switch (request.kind) {
    case 'version':
      io.out(VERSION);
      return 0;
    case 'command':
      return request.command.start(request.values, io, request.words);
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

const fail = async (error: unknown): Promise<number> => {
  const { explain } = await import('./cli/explain.ts');
  return explain(error, argv.includes('--debug') || io.env.HEATING2MQTT_LOG_LEVEL === 'debug', io);
};

process.on('uncaughtException', (error) => void fail(error).then((code) => process.exit(code)));

void main(argv, io)
  .catch(fail)
  .then((code) => {
    process.exitCode = code;
    setTimeout(() => process.exit(), LINGER_MS).unref();
  });
