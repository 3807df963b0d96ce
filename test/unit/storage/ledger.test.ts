import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LedgerFile, type LedgerLine } from '../../../src/storage/ledger.ts';
import { runs } from '../../support/chance.ts';
import { recordingLog, tempDir } from '../../support/system/testSystem.ts';

type Logged = { level: string; facts: object; sentence: string }[];

const setUp = () => {
  const dir = tempDir();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const logged: Logged = [];
  const open = (): LedgerFile => {
    const ledger = new LedgerFile(dir, recordingLog(logged));
    ledger.open();
    return ledger;
  };
  return { dir, logged, open, file: join(dir, 'ledger.jsonl'), trust: join(dir, 'ledger.trust') };
};

const sending = (topic: string, owner = 'a'): LedgerLine => ({ is: 'sending', topic, owner });
const held = (topic: string, seal = 1, hash = 'h', owner = 'a'): LedgerLine => ({ is: 'held', topic, owner, hash, seal });
const gone = (topic: string, seal = 1): LedgerLine => ({ is: 'gone', topic, seal });
const beat = (number: number, acknowledged = true): LedgerLine => ({ is: 'beat', beat: number, acknowledged });

const known = ({ held, cleared, beat, pendingBeat }: LedgerFile) => ({ held: [...held], cleared: [...cleared], beat, pendingBeat });

describe('what is written', () => {
  test('is known at the next start, killed or closed', () => {
    const { open } = setUp();
    const first = open();
    first.write([sending('x'), held('x'), sending('y'), sending('z'), held('z', 2), beat(1), beat(2, false)]);
    first.write([sending('z'), gone('z', 3)]);
    const wanted = {
      held: [
        ['x', { owner: 'a', hash: 'h', seal: 1 }],
        ['y', { owner: 'a', hash: undefined, seal: 0 }],
      ],
      cleared: [['z', 3]],
      beat: 1,
      pendingBeat: 2,
    };
    expect(known(first)).toEqual(wanted);
    const killed = open();
    expect(known(killed)).toEqual(wanted);
    killed.close();
    expect(known(open())).toEqual(wanted);
  });

  test('whatever it is, gives the same after any number of starts', () => {
    const topic = fc.constantFrom('a', 'b', '__proto__', 'ä/%20', 'line\nbreak', '"');
    const line = fc.oneof(
      fc.record({ is: fc.constant('sending' as const), topic, owner: fc.string() }),
      fc.record({ is: fc.constant('held' as const), topic, owner: fc.string(), hash: fc.string(), seal: fc.nat() }),
      fc.record({ is: fc.constant('gone' as const), topic, seal: fc.nat() }),
      fc.record({ is: fc.constant('beat' as const), beat: fc.nat(), acknowledged: fc.boolean() }),
    );
    const { open, file } = setUp();
    fc.assert(
      fc.property(fc.array(fc.array(line)), (writes) => {
        rmSync(file, { force: true });
        const first = open();
        for (const lines of writes) first.write(lines);
        const again = known(open());
        // Rewritten, topics may stand in another order.
        const sorted = ({ held, cleared, ...rest }: ReturnType<typeof known>) => ({ held: held.sort(), cleared, ...rest });
        expect(sorted(again)).toEqual(sorted(known(first)));
      }),
      { numRuns: runs(50) },
    );
  });

  test('stays short, however often a value changes', () => {
    const { open, file } = setUp();
    const ledger = open();
    for (let n = 0; n < 20_000; n += 1) ledger.write([sending(`topic ${n % 10}`), held(`topic ${n % 10}`, n)]);
    expect(statSync(file).size).toBeLessThan(200_000);
    expect(known(open())).toEqual(known(ledger));
  });

  test('remembers the last 500 topics that were cleared', () => {
    const { open } = setUp();
    const ledger = open();
    for (let n = 0; n < 800; n += 1) ledger.write([gone(`topic ${n}`)]);
    expect([...open().cleared.keys()]).toEqual(Array.from({ length: 500 }, (_, n) => `topic ${n + 300}`));
  });

  test('after the end changes nothing on disk', () => {
    const { open, file } = setUp();
    const ledger = open();
    ledger.write([held('x')]);
    ledger.close();
    const before = readFileSync(file, 'utf8');
    ledger.write([held('y')]);
    ledger.close();
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});

describe('a file that is not as it was left', () => {
  test.each([1, 5, 20, 60])('without its last %i bytes tells all but its last lines', (bytes) => {
    const { open, file } = setUp();
    open().write([held('x'), held('y'), beat(3)]);
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, whole.slice(0, -bytes));
    const ledger = open();
    expect([...ledger.held.keys()]).toEqual(bytes < 60 ? ['x', 'y'] : ['x']);
    ledger.write([held('z')]);
    expect([...open().held.keys()]).toContain('z');
  });

  test('that holds rubbish between tells the rest', () => {
    const { open, file } = setUp();
    open().write([held('x')]);
    writeFileSync(file, '\u0000\u0000\n{"is":"held"}\n{"is":"beat","beat":"7"}\n[]\nnull\n{"is":"what","topic":"t","owner":"o"}\n', {
      flag: 'a',
    });
    const ledger = open();
    expect([...ledger.held.keys()]).toEqual(['x']);
    expect(ledger.beat).toBe(0);
  });

  test.each(['', 'something else\n', '{"version":2}\n{"is":"held"}\n', '{"version":1'])(
    'and begins with %j is set aside, with one warning',
    (text) => {
      const { open, file, logged } = setUp();
      writeFileSync(file, text);
      expect(known(open())).toMatchObject({ held: [], beat: 0 });
      expect(readFileSync(`${file}.unreadable`, 'utf8')).toBe(text);
      expect(logged).toMatchObject([{ level: 'warn', facts: { file: `${file}.unreadable` } }]);
      open();
      expect(logged).toHaveLength(1);
    },
  );

  test.each(['folder', 'link'])('and is a %s is set aside, with one warning', (kind) => {
    const { open, file, dir, logged } = setUp();
    if (kind === 'folder') mkdirSync(file);
    else symlinkSync('/dev/zero', file);
    expect(known(open())).toMatchObject({ held: [], beat: 0 });
    expect(readdirSync(dir)).toContain('ledger.jsonl.unreadable');
    expect(logged).toMatchObject([{ level: 'warn', facts: { file: `${file}.unreadable` } }]);
    open();
    expect(logged).toHaveLength(1);
  });

  test('and cannot be set aside does not end the start', () => {
    const { open, file, logged } = setUp();
    mkdirSync(join(file, 'x'), { recursive: true });
    mkdirSync(join(`${file}.unreadable`, 'x'), { recursive: true });
    expect(known(open())).toMatchObject({ held: [], beat: 0 });
    expect(logged).toMatchObject([{ sentence: expect.stringContaining('could not be set aside') }, { facts: { cause: 'EISDIR' } }]);
  });

  test('is never written through a link', () => {
    const { open, dir, file, trust } = setUp();
    const other = join(dir, 'other');
    writeFileSync(other, 'of somebody else');
    for (const name of [file, `${file}.new`, trust]) symlinkSync(other, name);
    const ledger = open();
    ledger.write([held('x')]);
    ledger.close();
    expect(readFileSync(other, 'utf8')).toBe('of somebody else');
    expect(known(open()).held).toHaveLength(1);
  });
});

describe('what the broker holds is believed', () => {
  const write = (open: () => LedgerFile): LedgerFile => {
    const ledger = open();
    ledger.write([held('x', 1), beat(4)]);
    return ledger;
  };
  const hash = (ledger: LedgerFile) => ledger.held.get('x')?.hash;

  test('after a clean end, also where the machine was started anew', () => {
    const { open, trust } = setUp();
    write(open).close();
    expect(readFileSync(trust, 'utf8')).toBe('closed');
    expect(hash(open())).toBe('h');
  });

  test('after a kill, where the machine has run on', () => {
    const { open } = setUp();
    write(open);
    expect(hash(open())).toBe('h');
  });

  test.each(['another start', '', undefined])(
    'not after a kill where the word of trust is %j: the topics stay ours, their contents and the beat are doubted',
    (word) => {
      const { open, trust } = setUp();
      write(open);
      if (word === undefined) rmSync(trust);
      else writeFileSync(trust, word);
      const ledger = open();
      expect(ledger.held.get('x')).toEqual({ owner: 'a', hash: undefined, seal: 0 });
      expect(ledger.beat).toBe(0);
      // The next beat must not be one that the broker may still show.
      expect(ledger.pendingBeat).toBe(4);
    },
  );
});

describe('a full disk', () => {
  /** The next rewriting of the file fails. */
  const fill = (file: string): void => mkdirSync(`${file}.new`);

  test('is told once; nothing on disk is believed after it; it is told when it is over', () => {
    const { open, file, trust, logged } = setUp();
    const ledger = open();
    ledger.write([held('x')]);
    fill(file);
    for (let n = 0; n < 5000; n += 1) ledger.write([held('x', n), held('y', n)]);
    expect(logged).toMatchObject([{ level: 'warn', sentence: expect.stringContaining('disk full') }]);
    expect(existsSync(trust)).toBe(false);
    expect([...ledger.held.keys()]).toEqual(['x', 'y']);
    rmSync(`${file}.new`, { recursive: true });
    expect([...open().held.values()].map(({ hash }) => hash)).toEqual(expect.arrayContaining([undefined]));
    ledger.write([held('z')]);
    expect(logged[1]).toMatchObject({ level: 'info' });
    expect(logged).toHaveLength(2);
    expect(known(open()).held).toHaveLength(3);
  });

  test('at the start is told, and over with the first step that can be written', () => {
    const { open, file, trust, logged } = setUp();
    const first = open();
    first.write([held('x')]);
    first.close();
    fill(file);
    const ledger = open();
    expect(known(ledger).held).toHaveLength(1);
    expect(logged).toMatchObject([{ level: 'warn', sentence: expect.stringContaining('disk full') }]);
    ledger.write([held('y')]);
    expect(existsSync(trust)).toBe(false);
    rmSync(`${file}.new`, { recursive: true });
    ledger.write([held('z')]);
    expect(logged.map(({ level }) => level)).toEqual(['warn', 'info']);
    expect(known(open()).held).toHaveLength(3);
  });

  test('that takes half a line and then no more leaves no wrong line behind', async () => {
    const { dir, open } = setUp();
    const script = `
      const { LedgerFile } = await import(${JSON.stringify(new URL('../../../src/storage/ledger.ts', import.meta.url).href)});
      const log = { debug() {}, info() {}, error() {}, warn: (facts, sentence) => console.log(facts.cause, sentence) };
      const ledger = new LedgerFile(${JSON.stringify(dir)}, log);
      ledger.open();
      for (let n = 0; n < 900; n += 1) ledger.write([{ is: 'held', topic: 'topic ' + n, owner: 'a', hash: 'h', seal: n }]);
      console.log(ledger.held.size);
    `;
    // Files of this shell and what it starts end at 16 blocks.
    const { stdout } = await promisify(execFile)('bash', [
      '-c',
      'ulimit -f 16; exec "$0" --input-type=module -e "$1"',
      process.execPath,
      script,
    ]);
    expect(stdout).toMatch(/^EFBIG the ledger .*\n900\n$/);
    const ledger = open();
    expect(ledger.held.size).toBeGreaterThan(100);
    expect([...ledger.held.values()].every(({ hash }) => hash === undefined)).toBe(true);
    ledger.write([held('after')]);
    expect(open().held.get('after')).toMatchObject({ hash: 'h' });
  });
});
