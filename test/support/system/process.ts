import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../../../src/config/settings.ts';
import { sameClock } from '../time/sameClock.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

export type BridgeProcess = {
  readonly child: ChildProcess;
  /** Everything it has logged, one JSON object a line. */
  log(): string;
  /** Sends the signal and waits for the end; gives the exit code, null after a kill. */
  end(signal: NodeJS.Signals): Promise<number | null>;
};

export type ProcessOptions = {
  /** The time zone of the bridge. */
  readonly zone?: string;
  /** Its files cannot grow, as on a full disk: by the limit of a POSIX shell, which the process may lift again. */
  readonly isDiskFull?: boolean;
};

/** `heating2mqtt run` with these settings, in a process of its own. */
export const startProcess = (settings: Settings, { zone, isDiskFull = false }: ProcessOptions = {}): BridgeProcess => {
  const file = join(settings.data_dir, 'settings.yaml');
  // A disk that is full has no room for the same again.
  if (!existsSync(file) || readFileSync(file, 'utf8') !== JSON.stringify(settings)) writeFileSync(file, JSON.stringify(settings));
  const limited = isDiskFull ? ['sh', '-c', 'ulimit -S -f 0; exec "$@"', 'sh'] : [];
  const [command = '', ...args] = [...limited, process.execPath, MAIN, 'run', '--config', file];
  const child = spawn(command, args, {
    cwd: settings.data_dir,
    env: { ...sameClock(), HOME: settings.data_dir, ...(zone === undefined ? {} : { TZ: zone }) },
  });
  let output = '';
  const append = (text: string): void => {
    output += text;
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', append);
  const ended = once(child, 'exit');
  return {
    child,
    log: () => output,
    end: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await ended;
      }
      return child.exitCode;
    },
  };
};
