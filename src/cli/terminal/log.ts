import pino from 'pino';
import type { Settings } from '../../config/settings.ts';
import type { Log, LogRing } from '../../shared/log.ts';

// Users paste logs in public: members with these names are replaced, in every line.
const SECRETS = ['password', 'token', 'access_token', 'refresh_token', 'authorization'].flatMap((key) => [key, `*.${key}`]);

type LogSettings = Settings['log'];
type Destination = { write(line: string): unknown };

/** The log of the process, which settings can be changed while it runs. */
export type ProcessLog = { readonly log: Log; readonly configure: (settings: LogSettings) => Promise<void> };

/** The log on standard error: readable text on a terminal, else one JSON object a line. `ring` gets each line too. */
export const makeLog = async (settings: LogSettings, isTTY: boolean, ring?: LogRing, out = standardError): Promise<ProcessLog> => {
  let { format } = settings;
  let destination = await out(settings, isTTY);
  // The lines come as they are written: without secrets.
  const write = (line: string): void => {
    ring?.add(line);
    destination.write(line);
  };
  const logger = pino({ level: settings.level, base: null, redact: SECRETS, timestamp: pino.stdTimeFunctions.isoTime }, { write });
  return {
    log: plain(logger),
    configure: async (next) => {
      if (next.format !== format) destination = await out(next, isTTY);
      ({ format } = next);
      logger.level = next.level;
    },
  };
};

const standardError = async ({ format }: LogSettings, isTTY: boolean): Promise<Destination> => {
  if (format === 'json' || (format === 'auto' && !isTTY)) return pino.destination({ dest: 2, sync: true });
  const { default: pretty } = await import('pino-pretty');
  return pretty({ destination: 2, sync: true, colorize: isTTY, translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname' });
};

// The type of pino has an index signature, so an async function takes it for a promise.
const plain = (logger: Log): Log => logger;
