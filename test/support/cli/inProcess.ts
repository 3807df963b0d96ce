import { rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { explain, runCli } from '../../../src/cli/cli.ts';
import type { Io } from '../../../src/cli/terminal/io.ts';
import { tempDir } from '../system/testSystem.ts';
import { untilSo } from '../system/untilSo.ts';

export type Surroundings = Partial<Pick<Io, 'env' | 'cwd' | 'isTTY'>> & { readonly stdin?: string | Io['stdin'] };
export type Ended = { readonly code: number; readonly out: string; readonly err: string };

export type Running = {
  readonly out: () => string;
  readonly until: (text: string) => Promise<void>;
  /** As SIGHUP does. */
  readonly hangUp: () => void;
  /** As the first signal does. */
  readonly stop: () => Promise<Ended>;
  readonly ended: Promise<Ended>;
};

/** An empty folder, which goes with the test. */
export const emptyFolder = (): string => {
  const cwd = tempDir();
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  return cwd;
};

/** `heating2mqtt …` in this process, in a folder and an environment of its own; without a data folder in that, it is never the user's. */
export const startCommand = (words: readonly string[], { stdin = '', env, ...surroundings }: Surroundings = {}): Running => {
  let [out, err] = ['', ''];
  let hangUp: () => void = () => undefined;
  const signal = Promise.withResolvers<void>();
  const io: Io = {
    env: { HOME: emptyFolder(), ...env },
    cwd: emptyFolder(),
    isTTY: false,
    ...surroundings,
    out: (text) => {
      out += `${text}\n`;
    },
    err: (text) => {
      err += `${text}\n`;
    },
    stdin: typeof stdin === 'string' ? Readable.from([stdin]) : stdin,
    untilSignal: () => signal.promise,
    onHangUp: (act) => {
      hangUp = act;
    },
    openBrowser: () => undefined,
  };
  const ended = runCli(words, io)
    .catch((error: unknown) => explain(error, words.includes('--debug'), io))
    .then((code) => ({ code, out, err }));
  onTestFinished(async () => {
    signal.resolve();
    await ended;
  });
  return {
    out: () => out,
    until: (text) => untilSo(() => out.includes(text)),
    hangUp: () => hangUp(),
    stop: () => {
      signal.resolve();
      return ended;
    },
    ended,
  };
};

export const runCommand = (words: readonly string[], surroundings: Surroundings = {}): Promise<Ended> =>
  startCommand(words, surroundings).ended;
