import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** A process that restores a backup, takes that back, and is killed before its n-th change of files: `<data_dir> <backup> <n>`. */
const [dir = '', file = '', last = ''] = process.argv.slice(2);
let left = Number(last);

for (const name of ['mkdirSync', 'openSync', 'copyFileSync', 'writeFileSync', 'renameSync', 'rmSync'] as const) {
  const original = fs[name];
  const counting = (...args: readonly unknown[]): unknown => {
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
    return Reflect.apply(original, fs, args);
  };
  Reflect.set(fs, name, counting);
}
const bytes = fs.readFileSync(file);
syncBuiltinESMExports();
const { pageBackups } = await import('../../../src/cli/setup/backups.ts');
const { systemClock } = await import('../../../src/shared/clock.ts');
const takeBack = (await pageBackups(dir, systemClock).read(bytes)).prepare()();
takeBack();
process.stdout.write('done');
