import pino from 'pino';
import type { Settings } from '../../config/settings.ts';
import { factsText, type Log, type LogRing, printable } from '../../shared/log.ts';
import type { Io } from './io.ts';
import { hasColour, paint } from './terminalText.ts';

// Users paste logs in public: members with these names are replaced, in every line.
const SECRETS = ['password', 'token', 'access_token', 'refresh_token', 'authorization'].flatMap((key) => [key, `*.${key}`]);

type LogSettings = Settings['log'];
type LogIo = Pick<Io, 'env' | 'isTTY'>;
type Destination = { write(line: string): unknown };

/** The log of the process, which settings can be changed while it runs. */
export type ProcessLog = { readonly log: Log; readonly configure: (settings: LogSettings) => Promise<void> };

/** The log on standard error: readable text on a terminal, else one JSON object a line. `ring` gets each line too. */
export const makeLog = async (settings: LogSettings, io: LogIo, ring?: LogRing, out = standardError): Promise<ProcessLog> => {
  let { format } = settings;
  let destination = await out(settings, io);
  // The lines come as they are written: without secrets.
  const write = (line: string): void => {
    ring?.add(line);
    destination.write(line);
  };
  const options = {
    level: settings.level,
    base: null,
    redact: SECRETS,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (word: string) => ({ level: word }) },
  };
  const logger = pino(options, { write });
  return {
    log: plain(logger),
    configure: async (next) => {
      if (next.format !== format) destination = await out(next, io);
      ({ format } = next);
      logger.level = next.level;
    },
  };
};

/** On a full disk the bridge goes on: so many characters of lines wait for room there, and further ones are lost. */
const MOST_WAITING = 1_000_000;

const standardError = async ({ format }: LogSettings, io: LogIo): Promise<Destination> => {
  const lines = pino.destination({ dest: 2, sync: true, maxLength: MOST_WAITING });
  // Without this a line that cannot be written ends the process.
  lines.on('error', () => undefined);
  if (format === 'json' || (format === 'auto' && !io.isTTY)) return lines;
  const { default: pretty } = await import('pino-pretty');
  const { Writable } = process.getBuiltinModule('node:stream');
  const colorize = hasColour(io);
  return pretty({
    // The stream of pino-pretty would end with the first error of `lines`.
    destination: new Writable({ decodeStrings: false, write: (text, _encoding, done) => done(void lines.write(text)) }),
    colorize,
    translateTime: 'SYS:yyyy-mm-dd HH:MM:ss',
    hideObject: true,
    messageFormat: (line) => readableLine(line, colorize),
  });
};

/** The sentence and its facts on one line, with local times. What was sent is shown as it came. */
const readableLine = ({ level: _, time: __, msg, ...facts }: Readonly<Record<string, unknown>>, colour: boolean): string => {
  const mayHaveTimes = (key: string, value: unknown): value is string => typeof value === 'string' && key !== 'payload';
  const local = Object.entries(facts).map(([key, value]) => [key, mayHaveTimes(key, value) ? withLocalTimes(value) : value]);
  const text = factsText(Object.fromEntries(local));
  const sentence = printable(String(msg));
  return text === '' ? sentence : `${sentence} ${paint('dim', printable(`(${text})`), colour)}`;
};

const INSTANT = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z\b/g;

/** The text with its instants as the clock of the machine shows them: 2026-11-22 19:40:53. */
const withLocalTimes = (text: string): string => text.replace(INSTANT, (instant) => new Date(instant).toLocaleString('sv-SE'));

// The type of pino has an index signature, so an async function takes it for a promise.
const plain = (logger: Log): Log => logger;
