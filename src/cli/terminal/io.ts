import { constants } from 'node:os';

/** The surroundings of a command, so that a test can replace the process. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Prints the result of the command: one or several lines; the end of the last line is added. */
  out(text: string): void;
  /** The same for mistakes, progress and warnings. */
  err(text: string): void;
  /** Typed or piped input, as UTF-8 text. */
  readonly stdin: NodeJS.ReadableStream;
  /** True where `out` is a terminal: colour and waiting make sense. */
  readonly isTTY: boolean;
  /**
   * Resolves at the first SIGINT or SIGTERM, which from the call on does not end the process by itself.
   * The second signal ends the process at once, and so does a stop that takes longer than `mostMs` says at the first one, 5 s where it is missing.
   */
  untilSignal(mostMs?: () => number): Promise<void>;
  /** Calls `act` at each SIGHUP; on a terminal, whose end sends it too, the process ends by it as before. */
  onHangUp(act: () => void): void;
  /** Shows an address in the user's browser, where there is one; failures are ignored. */
  openBrowser(url: string): void;
}

/** So long a stop may take. */
export const STOP_WITHIN_MS = 5000;

const untilSignal = (mostMs = () => STOP_WITHIN_MS): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isStopping = false;
  const receive = (signal: NodeJS.Signals): void => {
    // Shells show a process that a signal ended as 128 and the signal's number.
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
  // Loaded when needed only: the bridge opens no browser, and should start fast.
  const { spawn } = process.getBuiltinModule('node:child_process');
  const [command, ...args] = BROWSERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
};

const ESCAPE = '\u001b';
/** A control other than line feed and tabulator, with what makes a colour of an escape (`ESC [ 1 ; 32 m`). */
const CONTROL = /[^\P{Cc}\n\t](?:\[[\d;]*m)?/gu;

/** The text with U+FFFD for each control that is no colour: names and messages come from outside. */
const harmless = (text: string): string =>
  text.replace(CONTROL, (found) => (found.startsWith(ESCAPE) && found.length > 1 ? found : `\ufffd${found.slice(1)}`));

/**
 * The surroundings of this process. A command whose reader has gone ends, as in `heating2mqtt settings | head`; one whose output cannot be written,
 * as on a full disk, ends with 1 and says so.
 */
export const processIo = (): Io => {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(0);
    process.stderr.write(`The output cannot be written (${code}): what was written of it is not whole.\n`);
    process.exit(1);
  });
  return {
    env: process.env,
    cwd: process.cwd(),
    out: (text) => void process.stdout.write(`${harmless(text)}\n`),
    err: (text) => void process.stderr.write(`${harmless(text)}\n`),
    // Node makes the stream at the first look, which takes milliseconds.
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
