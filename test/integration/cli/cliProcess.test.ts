import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { untilSo } from '../../support/system/untilSo.ts';

const [IO, LOG] = ['io', 'log'].map((name) => new URL(`../../../src/cli/terminal/${name}.ts`, import.meta.url).href);

/** A program with the surroundings of a command, which says `ready` and stays. */
const program = async (body: string) => {
  const script = `import { processIo } from ${JSON.stringify(IO)}; const io = processIo(); setInterval(() => {}, 60_000); ${body}; io.out('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const until = (text: string): Promise<void> => untilSo(() => said.includes(text));
  await until('ready');
  return { child, until };
};

it('the demo says where there is no folder for it', () => {
  const main = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [main, 'demo'], {
    env: { TMPDIR: '/nowhere' },
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect([status, stderr.trim()]).toEqual([
    2,
    'the temporary folder /nowhere cannot be used: it does not exist (set TMPDIR to another folder)',
  ]);
});

describe('a reader that goes away', () => {
  it('ends the process quietly', async () => {
    const { child } = await program("setInterval(() => io.out('more'), 5)");
    child.stdout.destroy();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
  it('does not end it where only what is said beside the answer was read', async () => {
    const { child, until } = await program("process.stdin.on('data', () => { io.err('beside'); setTimeout(() => io.out('answer'), 20); })");
    child.stderr.destroy();
    child.stdin.write('1');
    await until('answer');
    child.stdin.write('2');
    await until('answer\nanswer');
  });
});

it('what comes from outside controls no terminal; lines and colours stay', async () => {
  const { until } = await program("io.out('a\\u001b[2Jb\\u009b31m\\u001b]0;x\\u0007\\r\\n\\u001b[1;32mc\\u001b[0m\\td')");
  await until('a\ufffd[2Jb\ufffd31m\ufffd]0;x\ufffd\ufffd\n\u001b[1;32mc\u001b[0m\td\n');
});

/** Has the disk behind a standard stream take nothing, until `isFull` is false. */
const FULL = `let isFull = true; const fs = process.getBuiltinModule('fs'); const { writeSync } = fs;
fs.writeSync = (...given) => { if (isFull) throw Object.assign(new Error('full'), { code: 'ENOSPC' }); return writeSync(...given); };`;

it.each(['json', 'pretty'])(
  'a full disk behind the log (%s) does not end the process, and lines come again when there is room',
  async (format) => {
    const { child } = await program(
      `${FULL} const { makeLog } = await import('${LOG}'); const { log } = await makeLog({ level: 'info', format: '${format}' }, { env: {} });
    for (const line of ['one', 'two', 'three']) log.info({}, line); process.stdin.on('data', () => { isFull = false; log.info({}, 'four'); })`,
    );
    let logged = '';
    child.stderr.on('data', (text) => {
      logged += text;
    });
    child.stdin.write('1');
    await untilSo(() => logged.includes('four'));
  },
);

it('output that cannot be written ends the process with 1, and it says so', () => {
  // The file is open for reading alone.
  const file = openSync(import.meta.filename, 'r');
  onTestFinished(() => closeSync(file));
  const script = `import { processIo } from '${IO}'; processIo().out('lost')`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', file, 'pipe'] });
  expect([status, String(stderr)]).toEqual([1, expect.stringMatching(/^The output cannot be written \(EBADF\); it is incomplete\.\n$/)]);
});

describe('signals', () => {
  it('the first is told to the command, the second ends the process at once', async () => {
    const { child, until } = await program("io.untilSignal().then(() => io.out('stopping'))");
    child.kill('SIGTERM');
    await until('stopping\n');
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([130, null]);
  });
  it('a stop that does not end is ended after 5 seconds', async () => {
    const { child } = await program('io.untilSignal()');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([1, null]);
  });
  it('end the process as ever where no command waits for them', async () => {
    const { child } = await program('');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([null, 'SIGTERM']);
  });
});
