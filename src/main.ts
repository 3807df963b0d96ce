#!/usr/bin/env node
import { explain, runCli } from './cli/cli.ts';
import { processIo } from './cli/terminal/io.ts';

/** A process that should have ended but still has something open is ended after this time. */
const LINGER_MS = 1000;

const argv = process.argv.slice(2);
const io = processIo();
const fail = (error: unknown): number => explain(error, argv.includes('--debug') || io.env.HEATING2MQTT_LOG_LEVEL === 'debug', io);

process.on('uncaughtException', (error) => process.exit(fail(error)));

void runCli(argv, io)
  .catch(fail)
  .then((code) => {
    process.exitCode = code;
    setTimeout(() => process.exit(), LINGER_MS).unref();
  });
