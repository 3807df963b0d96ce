import pino from 'pino';
import type { Settings } from '../../config/settings.ts';
import type { Log, LogRing } from '../../shared/log.ts';

// Users paste logs in public: members with these names are replaced, in every line.
const SECRETS = ['password', 'token', 'access_token', 'refresh_token', 'authorization'].flatMap((key) => [key, `*.${key}`]);

/** The log on standard error: readable text on a terminal, else one JSON object a line. `ring` gets each line too. */
export const makeLog = async ({ level, format }: Settings['log'], isTTY: boolean, ring?: LogRing): Promise<Log> => {
  const options = { level, base: null, redact: SECRETS, timestamp: pino.stdTimeFunctions.isoTime };
  if (format === 'json' || (format === 'auto' && !isTTY))
    return plain(pino(options, both(pino.destination({ dest: 2, sync: true }), ring)));
  const { default: pretty } = await import('pino-pretty');
  const readable = pretty({ destination: 2, sync: true, colorize: isTTY, translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname' });
  return plain(pino(options, both(readable, ring)));
};

type Destination = { write(line: string): unknown };

/** The lines come as they are written: without secrets. */
const both = (destination: Destination, ring: LogRing | undefined): Destination =>
  ring === undefined
    ? destination
    : {
        write: (line) => {
          ring.add(line);
          destination.write(line);
        },
      };

// The type of pino has an index signature, so an async function takes it for a promise.
const plain = (logger: Log): Log => logger;
