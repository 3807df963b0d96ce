import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../../src/config/settings.ts';
import { sameClock } from './sameClock.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export type BridgeProcess = {
  readonly child: ChildProcess;
  /** Everything it has logged, one JSON object a line. */
  log(): string;
  /** Sends the signal and waits for the end; gives the exit code, null after a kill. */
  end(signal: NodeJS.Signals): Promise<number | null>;
};

/** `heating2mqtt run` with these settings, in a process of its own. */
export const startProcess = (settings: Settings): BridgeProcess => {
  const file = join(settings.data_dir, 'settings.yaml');
  writeFileSync(file, JSON.stringify(settings));
  const child = spawn(process.execPath, [MAIN, 'run', '--config', file], {
    cwd: settings.data_dir,
    env: { ...sameClock(), HOME: settings.data_dir },
  });
  let said = '';
  const hear = (text: string): void => {
    said += text;
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', hear);
  const ended = once(child, 'exit');
  return {
    child,
    log: () => said,
    end: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await ended;
      }
      return child.exitCode;
    },
  };
};
