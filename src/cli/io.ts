export type Signal = 'SIGINT' | 'SIGTERM';

/** What a command gets of the world around the process, so that a test can give it another one. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder in which the command was started. */
  readonly cwd: string;
  /** One line, or several, for the person or program that asked; the line's end is added. */
  out(text: string): void;
  /** The same for what is not the answer itself: mistakes, progress, warnings. */
  err(text: string): void;
  /** What is typed or piped in, as UTF-8 text. */
  readonly stdin: NodeJS.ReadableStream;
  /** True where `out` is read by a person: colour and waiting make sense. */
  readonly isTTY: boolean;
  /**
   * Calls the listener at the first SIGINT or SIGTERM, which then no longer end the process by themselves.
   * The second one ends it at once, and so does a stop that takes over 5 s. Returns what takes the listener away.
   */
  onSignal(listener: (signal: Signal) => void): () => void;
  /** Shows an address in the person's browser, where there is one; a failure is nobody's business. */
  openBrowser(url: string): void;
}

const STOP_WITHIN_MS = 5000;
// Shells show a process that a signal ended as 128 and the signal's number.
const EXIT_CODES: Readonly<Record<Signal, number>> = { SIGINT: 130, SIGTERM: 143 };

const listenForSignals = (): Io['onSignal'] => {
  const listeners = new Set<(signal: Signal) => void>();
  let listening = false;
  let stopping = false;
  const receive = (signal: Signal): void => {
    if (stopping || listeners.size === 0) process.exit(EXIT_CODES[signal]);
    stopping = true;
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    for (const listener of listeners) listener(signal);
  };
  return (listener) => {
    if (!listening) for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, receive);
    listening = true;
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
};

const BROWSERS: Readonly<Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

const show = async (url: string): Promise<void> => {
  // Loaded when needed only: the bridge itself opens no browser, and should start fast.
  const { spawn } = await import('node:child_process');
  const [command, ...args] = BROWSERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
};

/** Without its reader a command has nobody to answer: `heating2mqtt settings | head`. */
const endWithoutReader = (error: NodeJS.ErrnoException): void => {
  if (error.code === 'EPIPE') process.exit(0);
};

/** The process's own surroundings. */
export const processIo = (): Io => {
  process.stdout.on('error', endWithoutReader);
  process.stderr.on('error', () => undefined);
  return {
    env: process.env,
    cwd: process.cwd(),
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    stdin: process.stdin,
    isTTY: process.stdout.isTTY === true,
    onSignal: listenForSignals(),
    openBrowser: (url) => void show(url),
  };
};
