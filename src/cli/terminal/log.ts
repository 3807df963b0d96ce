import pino from 'pino';
import type { Settings } from '../../config/settings.ts';
import type { Log } from '../../shared/log.ts';

// Users paste logs in public: members with these names are replaced, in every line.
const SECRETS = ['password', 'token', 'access_token', 'refresh_token', 'authorization'].flatMap((key) => [key, `*.${key}`]);

/** The log on standard error: readable text on a terminal, else one JSON object a line. */
export const makeLog = async ({ level, format }: Settings['log'], isTTY: boolean): Promise<Log> => {
  const options = { level, base: null, redact: SECRETS, timestamp: pino.stdTimeFunctions.isoTime };
  if (format === 'json' || (format === 'auto' && !isTTY)) return plain(pino(options, pino.destination({ dest: 2, sync: true })));
  const { default: pretty } = await import('pino-pretty');
  return plain(
    pino(options, pretty({ destination: 2, sync: true, colorize: isTTY, translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname' })),
  );
};

// The type of pino has an index signature, so an async function takes it for a promise.
const plain = (logger: Log): Log => logger;
