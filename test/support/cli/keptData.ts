import { rmSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { openStorage } from '../../../src/storage/storage.ts';
import { recordingLog, tempDir } from '../system/testSystem.ts';

type Output = { readonly out: (text: string) => void; readonly err: (text: string) => void };

/** A database beside which a command runs: its folder, what is kept in it, and what a command answers and prints. */
export const keptData = () => {
  const data_dir = tempDir();
  onTestFinished(() => rmSync(data_dir, { recursive: true, force: true }));
  const storage = openStorage(data_dir, recordingLog([]));
  onTestFinished(() => storage.close());
  const printed = (command: (io: Output) => number): readonly [code: number, text: string] => {
    const lines: string[] = [];
    const say = (text: string): void => void lines.push(text);
    return [command({ out: say, err: say }), lines.join('\n')];
  };
  return { data_dir, storage, printed };
};
