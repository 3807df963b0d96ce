import pino from 'pino';
import type { Settings } from '../../config/settings.ts';
import { factsText, type Log, type LogRing, printable } from '../../shared/log.ts';
import type { Io } from './io.ts';
import { hasColour, paint } from './terminalText.ts';

// Users post logs in public: the values of these members are replaced in every line.
const SECRETS = ['password', 'token', 'access_token', 'refresh_token', 'authorization'].flatMap((key) => [key, `*.${key}`]);

type LogSettings = Settings['log'];
type LogIo = Pick<Io, 'env' | 'isTTY'>;
type Destination = { write(line: string): unknown };

/** The log of the process. Its settings can change at runtime. */
export type ProcessLog = { readonly log: Log; readonly configure: (settings: LogSettings) => Promise<void> };

/** The log on standard error: text on a terminal, else one JSON object per line. `ring` gets each line. */
export const makeLog = async (settings: LogSettings, io: LogIo, ring?: LogRing, out = standardError): Promise<ProcessLog> => {
  let { format } = settings;
  let destination = await out(settings, io);
  // The lines arrive as they are written: without secrets.
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

/** On a full disk the bridge continues: this many characters wait, further lines are lost. */
const MOST_WAITING = 1_000_000;

const standardError = async ({ format }: LogSettings, io: LogIo): Promise<Destination> => {
  const lines = pino.destination({ dest: 2, sync: true, maxLength: MOST_WAITING });
  // Without this handler, a failed write ends the process.
  lines.on('error', () => undefined);
  if (format === 'json' || (format === 'auto' && !io.isTTY)) return lines;
  const { default: pretty } = await import('pino-pretty');
  const { Writable } = process.getBuiltinModule('node:stream');
  const colorize = hasColour(io);
  return pretty({
    // The stream of pino-pretty would end at the first error of `lines`.
    destination: new Writable({ decodeStrings: false, write: (text, _encoding, done) => done(void lines.write(text)) }),
    colorize,
    translateTime: 'SYS:yyyy-mm-dd HH:MM:ss',
    hideObject: true,
    messageFormat: (line) => readableLine(line, colorize),
  });
};

/** The sentence and its facts on one line, with local times. Sent values are shown unchanged. */
const readableLine = ({ level: _, time: __, msg, ...facts }: Readonly<Record<string, unknown>>, colour: boolean): string => {
  const mayHaveTimes = (key: string, value: unknown): value is string => typeof value === 'string' && key !== 'payload';
  const local = Object.entries(facts).map(([key, value]) => [key, mayHaveTimes(key, value) ? withLocalTimes(value) : value]);
  const text = factsText(Object.fromEntries(local));
  const sentence = printable(String(msg));
  return text === '' ? sentence : `${sentence} ${paint('dim', printable(`(${text})`), colour)}`;
};

const INSTANT = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z\b/g;

/** The text with its instants in local time: 2026-11-22 19:40:53. */
const withLocalTimes = (text: string): string => text.replace(INSTANT, (instant) => new Date(instant).toLocaleString('sv-SE'));

// The pino type has an index signature, so an async function treats it as a promise.
const plain = (logger: Log): Log => logger;
