import pino from 'pino';
import type { Settings } from '../config/settings.ts';
import type { Log } from '../shared/log.ts';

// A log is pasted in public: what could be a secret never reaches it, whoever wrote the line.
const SECRETS = ['password', 'token', 'access_token', 'refresh_token', 'code', 'authorization'].flatMap((key) =>
  key === 'code' ? [] : [key, `*.${key}`],
);

/** The log on standard error: for people where one looks on, else one JSON object a line. */
export const makeLog = async ({ level, format }: Settings['log'], isTTY: boolean): Promise<Log> => {
  const options = { level, base: null, redact: SECRETS, timestamp: pino.stdTimeFunctions.isoTime };
  if (format === 'json' || (format === 'auto' && !isTTY)) return plain(pino(options, pino.destination({ dest: 2, sync: true })));
  const { default: pretty } = await import('pino-pretty');
  return plain(
    pino(options, pretty({ destination: 2, sync: true, colorize: isTTY, translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname' })),
  );
};

// pino's type has an index signature that looks like a promise to an async function.
const plain = (logger: Log): Log => logger;
