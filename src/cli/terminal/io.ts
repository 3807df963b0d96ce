import { constants } from 'node:os';

/** The environment of a command, so that a test can replace the process. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Prints the result of the command: one or more lines; adds the last line end. */
  out(text: string): void;
  /** The same for errors, progress and warnings. */
  err(text: string): void;
  /** Typed or piped input, as UTF-8 text. */
  readonly stdin: NodeJS.ReadableStream;
  /** True if `out` is a terminal: colour and waiting are useful. */
  readonly isTTY: boolean;
  /**
   * Resolves at the first SIGINT or SIGTERM, which then no longer ends the process. The second ends it at
   * once, as does a stop longer than `mostMs` (read at the first signal; default 5 s).
   */
  untilSignal(mostMs?: () => number): Promise<void>;
  /** Calls `act` at each SIGHUP. On a terminal, which sends it on closing, the process ends as by default. */
  onHangUp(act: () => void): void;
  /** Opens an address in the user's browser, if there is one; ignores failures. */
  openBrowser(url: string): void;
}

/** The maximum duration of a stop. */
export const STOP_WITHIN_MS = 5000;

const untilSignal = (mostMs = () => STOP_WITHIN_MS): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isStopping = false;
  const receive = (signal: NodeJS.Signals): void => {
    // Shells show a process ended by a signal as 128 plus the signal number.
    if (isStopping) process.exit(128 + constants.signals[signal]);
    isStopping = true;
    setTimeout(() => process.exit(1), mostMs()).unref();
    resolve();
  };
  process.on('SIGINT', receive).on('SIGTERM', receive);
  return promise;
};

const BROWSERS: Readonly<Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

const show = async (url: string): Promise<void> => {
  // Loaded only when needed: the bridge opens no browser and should start fast.
  const { spawn } = process.getBuiltinModule('node:child_process');
  const [command, ...args] = BROWSERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
};

const ESCAPE = '\u001b';
/** A control character except line feed and tab, with the rest of a colour code (`ESC [ 1 ; 32 m`). */
const CONTROL = /[^\P{Cc}\n\t](?:\[[\d;]*m)?/gu;

/** Replaces each control character that is not a colour code by U+FFFD: texts come from outside. */
const harmless = (text: string): string =>
  text.replace(CONTROL, (found) => (found.startsWith(ESCAPE) && found.length > 1 ? found : `\ufffd${found.slice(1)}`));

/**
 * The environment of this process. If the reader of the output has closed, the command ends with 0; if the
 * output cannot be written (full disk), with 1 and a message.
 */
export const processIo = (): Io => {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(0);
    process.stderr.write(`The output cannot be written (${code}); it is incomplete.\n`);
    process.exit(1);
  });
  return {
    env: process.env,
    cwd: process.cwd(),
    out: (text) => void process.stdout.write(`${harmless(text)}\n`),
    err: (text) => void process.stderr.write(`${harmless(text)}\n`),
    // Node creates the stream on first access, which takes milliseconds.
    get stdin() {
      return process.stdin;
    },
    isTTY: process.stdout.isTTY === true,
    untilSignal,
    onHangUp: (act) => {
      if (!process.stdout.isTTY) process.on('SIGHUP', act);
    },
    openBrowser: (url) => void show(url),
  };
};
