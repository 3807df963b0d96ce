import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { StatePiece } from '../../../src/fleet/fleetStore.ts';
import { Mirror } from '../../../src/fleet/mirror.ts';
import { OutOfStep } from '../../../src/fleet/outOfStep.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { SILENT } from '../../../src/shared/log.ts';
import { openSqlite, replaceFile } from '../../../src/shared/plainFile.ts';
import { DATABASE_NAME } from '../../../src/storage/dataDir.ts';
import { openStorage } from '../../../src/storage/storage.ts';
import { tempDir } from '../../support/system/testSystem.ts';

/** A piece of all rows lies in so many messages, as one of more than 512 KiB does. */
const PARTS = 3;

/** The states of accounts, as NATS holds them. `left`: how many messages of the piece follow. */
const stateStore = () => {
  let log: (StatePiece & { readonly seq: number; readonly left: number })[] = [];
  let seq = 0;
  let cuts = 0;
  let isConfirmed = true;
  const end = () => {
    const last = log.at(-1);
    return { last: last?.seq ?? 0, generation: last?.generation ?? 0, writer: last?.writer ?? '', isWhole: (last?.left ?? 0) === 0 };
  };
  return {
    pieces: () => log,
    /** The next piece in several parts is cut off after its first one. */
    cutNext: () => {
      cuts += 1;
    },
    /** From now on pieces are stored, and never confirmed: NATS is killed then. */
    killed: () => {
      isConfirmed = false;
    },
    /** What no worker has written. */
    stray: () => {
      seq += 1;
      log = [...log, { kind: 'changes', generation: 0, writer: '', content: '', seq, left: -1 }];
    },
    /** As after a restore from a backup. */
    goBackTo: (pieces: typeof log) => {
      log = [...pieces];
    },
    store: {
      append: async (_: string, piece: StatePiece, last: number) => {
        if (end().last !== last) throw new OutOfStep('wrong last sequence');
        for (let left = (piece.kind === 'all' ? PARTS : 1) - 1; left >= 0; left -= 1) {
          seq += 1;
          log = [...log, { ...piece, seq, left }];
          if (left > 0 && cuts > 0) {
            cuts -= 1;
            throw new Error('timeout');
          }
        }
        return isConfirmed ? seq : new Promise<never>(() => undefined);
      },
      readState: async () => {
        const isWhole = (at: number) => log[at]?.kind !== 'all' || log[at - PARTS + 1]?.left === PARTS - 1;
        const whole = log.filter(({ left }, at) => left === 0 && isWhole(at));
        const own = log.findLast(({ writer }) => writer !== '') ?? { seq: 0, generation: 0, writer: '', left: 0 };
        return {
          ...{ last: own.seq, generation: own.generation, writer: own.writer, isWhole: own.left === 0, behind: end().last },
          pieces: whole.slice(
            Math.max(
              0,
              whole.findLastIndex(({ kind }) => kind !== 'changes'),
            ),
          ),
        };
      },
      lastState: async () => end(),
      forgetBefore: async (_: string, from: number) => {
        log = log.filter((one) => one.seq >= from);
      },
    },
  };
};

const folder = (): string => {
  const dir = tempDir();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

/** An owner whose account does not run. */
const idleOwner = async (states: ReturnType<typeof stateStore>, dir: string, writer: string, isHeld = () => Promise.resolve(true)) => {
  const lost: string[] = [];
  const onLost = () => void lost.push(writer);
  const mirror = new Mirror({ store: states.store, name: 'a', dir, writer, clock: systemClock, log: SILENT, isHeld, onLost });
  await mirror.restore();
  return { mirror, lost };
};

const owner = async (...idle: Parameters<typeof idleOwner>) => {
  const { mirror, lost } = await idleOwner(...idle);
  return { mirror, storage: openStorage(idle[1], SILENT, undefined, mirror), lost };
};

const write = (key: number, isLive: boolean) => ({ key, at: key, device: 'home', feature: 'f', facts: { n: key }, isLive, isListed: true });

test('the next owner has the rows and tokens of the one before, after a clean end and after a kill', async () => {
  const states = stateStore();
  const [one, two, three] = [folder(), folder(), folder()];
  writeFileSync(join(one, 'tokens.json'), 'first tokens');
  const first = await owner(states, one, 'lease-1');
  first.storage.writes.put(write(1, true), true);
  first.storage.plans.write('p', { until: 7 });
  await first.mirror.flushed();
  first.storage.writes.put(write(1, false), true);
  first.storage.writes.put(write(2, true), true);
  writeFileSync(join(one, 'tokens.json'), 'renewed tokens');
  await first.mirror.flushed();
  // Killed: what comes now is nowhere else.
  const second = await owner(states, two, 'lease-2');
  expect(second.storage.writes.left.map(({ key }) => key)).toEqual([2]);
  expect(second.storage.writes.newest({}, 10).map(({ key }) => key)).toEqual([2, 1]);
  expect(second.storage.plans.read()).toEqual(new Map([['p', { until: 7 }]]));
  expect(readFileSync(join(two, 'tokens.json'), 'utf8')).toBe('renewed tokens');
  // The calls that the first may have made are presumed, and the broker is searched.
  expect(second.storage.calls.lost).toBeGreaterThan(0);
  expect(second.storage.mayLackChanges).toBe(true);
  await second.mirror.flushed();

  first.storage.writes.put(write(3, true), true);
  void first.mirror.flushed();
  await expect.poll(() => first.lost).toEqual(['lease-1']);

  second.storage.writes.put(write(4, true), true);
  second.storage.brokerSearched();
  second.storage.close();
  await second.mirror.flushed();
  const third = await owner(states, three, 'lease-3');
  expect(third.storage.writes.left.map(({ key }) => key)).toEqual([2, 4]);
  expect([third.storage.calls.lost > 0, third.storage.mayLackChanges]).toEqual([true, false]);
});

test('a login that the disk does not take moves all the same, also back to the worker whose folder lacks it', async () => {
  const states = stateStore();
  const [one, two] = [folder(), folder()];
  writeFileSync(join(one, 'tokens.json'), 'first tokens');
  const first = await owner(states, one, 'lease-1');
  await first.mirror.flushed();
  first.mirror.tokensChanged('renewed tokens');
  await first.mirror.flushed();
  first.storage.close();
  await first.mirror.flushed();
  first.mirror.end();
  const tokensIn = (dir: string): string => readFileSync(join(dir, 'tokens.json'), 'utf8');
  expect(tokensIn(one)).toBe('first tokens');
  // A restart of this worker alone.
  const again = await idleOwner(states, one, 'lease-2');
  expect(tokensIn(one)).toBe('renewed tokens');
  again.mirror.end();
  const other = await owner(states, two, 'lease-3');
  expect(tokensIn(two)).toBe('renewed tokens');
  // Once the disk takes it the folder is as good as any other.
  other.mirror.tokensChanged('newest tokens');
  await other.mirror.flushed();
  writeFileSync(join(two, 'tokens.json'), 'newest tokens');
  other.mirror.tokensChanged();
  other.storage.writes.put(write(1, true), true);
  await other.mirror.flushed();
  other.mirror.end();
  states.goBackTo([]);
  await idleOwner(states, two, 'lease-4');
  expect(tokensIn(two)).toBe('newest tokens');
});

test('a login moves with the account also where the disk lets nothing be removed any more', async () => {
  const states = stateStore();
  const dir = folder();
  writeFileSync(join(dir, 'tokens.json'), 'first tokens');
  const first = await owner(states, dir, 'lease-1');
  await first.mirror.flushed();
  const file = join(dir, 'fleet.json');
  const position = readFileSync(file);
  // What is not empty cannot be removed as a file.
  rmSync(file);
  mkdirSync(join(file, 'x'), { recursive: true });
  first.mirror.tokensChanged('renewed tokens');
  await first.mirror.flushed();
  expect(states.pieces().at(-1)?.content).toContain('renewed tokens');
  first.mirror.end();
  rmSync(file, { recursive: true });
  writeFileSync(file, position);
  await idleOwner(states, dir, 'lease-2');
  expect(readFileSync(join(dir, 'tokens.json'), 'utf8')).toBe('renewed tokens');
});

test('changes that wait in memory are known to the worker until they are written', async () => {
  const dir = folder();
  const { mirror, storage } = await owner(stateStore(), dir, 'lease-1');
  const other = openSqlite(join(dir, 'heating2mqtt.db'));
  onTestFinished(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  storage.writes.put(write(1, true), true);
  expect(mirror.isBehind).toBe(true);
  other.exec('COMMIT');
  storage.writes.put(write(2, true), true);
  expect(mirror.isBehind).toBe(false);
  other.exec('BEGIN IMMEDIATE');
  storage.writes.put(write(3, true), true);
  // The file is made anew, and the disk is still full.
  mirror.opened(other);
  expect(mirror.isBehind).toBe(true);
  // The account may start again later, or move: nothing waits any more.
  storage.close();
  expect(mirror.isBehind).toBe(false);
});

test('all rows are appended anew after some hundred changes, and what lies before goes', async () => {
  const states = stateStore();
  const first = await owner(states, folder(), 'lease-1');
  for (let key = 1; key <= 450; key += 1) {
    first.storage.writes.put(write(key, key % 2 === 0), false);
    await first.mirror.flushed();
  }
  expect(states.pieces().length).toBeLessThan(202);
  expect(states.pieces()[0]?.kind).toBe('all');
  const second = await owner(states, folder(), 'lease-2');
  expect(second.storage.writes.left).toHaveLength(225);
});

test('a worker that holds a newer state than NATS keeps it, and goes on from there', async () => {
  const states = stateStore();
  const dir = folder();
  const first = await owner(states, dir, 'lease-1');
  first.storage.writes.put(write(1, true), true);
  await first.mirror.flushed();
  const yesterday = states.pieces();
  first.storage.writes.put(write(2, true), true);
  await first.mirror.flushed();
  states.goBackTo(yesterday);
  // It serves on: what it appends next holds everything.
  first.storage.writes.put(write(3, true), true);
  await first.mirror.flushed();
  expect((await owner(states, folder(), 'lease-2')).storage.writes.left.map(({ key }) => key)).toEqual([1, 2, 3]);
  // Or it starts again, also where something else was written behind the backup.
  states.goBackTo(yesterday);
  for (const _ of [1, 2, 3]) states.stray();
  const third = await owner(states, dir, 'lease-3');
  expect(third.storage.writes.left.map(({ key }) => key)).toEqual([1, 2, 3]);
  await third.mirror.flushed();
  expect((await owner(states, folder(), 'lease-4')).storage.writes.left.map(({ key }) => key)).toEqual([1, 2, 3]);
});

test('a worker whose state is newer than a backup gives it up where another one has gone on from that backup', async () => {
  const states = stateStore();
  const dir = folder();
  const first = await owner(states, folder(), 'lease-1');
  first.storage.writes.put(write(1, true), true);
  await first.mirror.flushed();
  const yesterday = states.pieces();
  const second = await owner(states, dir, 'lease-2');
  await second.mirror.flushed();
  second.storage.writes.put(write(2, true), true);
  await second.mirror.flushed();
  states.goBackTo(yesterday);
  const third = await owner(states, folder(), 'lease-3');
  third.storage.writes.put(write(3, true), true);
  await third.mirror.flushed();
  // It still runs, or comes back later.
  second.storage.writes.put(write(4, true), true);
  void second.mirror.flushed();
  await expect.poll(() => second.lost).toEqual(['lease-2']);
  second.storage.close();
  expect((await owner(states, dir, 'lease-4')).storage.writes.left.map(({ key }) => key)).toEqual([1, 3]);
});

test('the next owner goes on where the owner before it had read a state and written nothing', async () => {
  const states = stateStore();
  const dir = folder();
  const first = await owner(states, dir, 'lease-1');
  first.storage.writes.put(write(1, true), true);
  await first.mirror.flushed();
  first.storage.writes.put(write(2, true), true);
  first.mirror.end();
  first.storage.close();
  // Not on NATS yet, as where the lease was lost; nobody else has written since.
  const mirror = new Mirror({
    ...{ store: states.store, name: 'a', dir: folder(), writer: 'lease-2' },
    clock: systemClock,
    log: SILENT,
    isHeld: async () => true,
    onLost: () => undefined,
  });
  await mirror.restore();
  expect((await owner(states, dir, 'lease-3')).storage.writes.left.map(({ key }) => key)).toEqual([1, 2]);
});

test.each([
  ['its folder is in step, and keeps what NATS never got', undefined, [1, 2, 3]],
  ['a folder without the newest login gives way to what NATS holds', 'renewed tokens', [1, 2]],
])('a kill of NATS that costs the confirmation of a piece: %s', async (_, unstored, keys) => {
  const states = stateStore();
  const dir = folder();
  writeFileSync(join(dir, 'tokens.json'), 'first tokens');
  const first = await owner(states, dir, 'lease-1');
  first.storage.writes.put(write(1, true), true);
  await first.mirror.flushed();
  const { length } = states.pieces();
  states.killed();
  first.mirror.tokensChanged(unstored);
  first.storage.writes.put(write(2, true), true);
  void first.mirror.flushed();
  await expect.poll(() => states.pieces().length).toBe(length + 1);
  first.storage.writes.put(write(3, true), true);
  first.mirror.end();
  first.storage.close();
  const again = await owner(states, dir, 'lease-2');
  expect(again.storage.writes.left.map(({ key }) => key)).toEqual(keys);
  expect(readFileSync(join(dir, 'tokens.json'), 'utf8')).toBe(unstored ?? 'first tokens');
});

test('the tokens are read again where their file was replaced', async () => {
  const states = stateStore();
  const dir = folder();
  const first = await owner(states, dir, 'lease-1');
  const tokens = () =>
    [...states.pieces()]
      .reverse()
      .map(({ content }) => (JSON.parse(content) as { tokens?: string }).tokens)
      .find((one) => one !== undefined);
  for (const text of ['tokens 1', 'tokens 2', 'tokens 3']) {
    replaceFile(join(dir, 'tokens.json'), text);
    await first.mirror.flushed();
    expect(tokens()).toBe(text);
  }
  const { length } = states.pieces();
  await first.mirror.flushed();
  expect(states.pieces()).toHaveLength(length);
});

test('a state that a newer version has written is left to that version', async () => {
  const states = stateStore();
  const content = JSON.stringify({ version: 1000, rows: { version: 1000, tables: {} }, tokens: '' });
  await states.store.append('a', { kind: 'all', generation: 1, writer: 'lease-0', content }, 0);
  await expect(owner(states, folder(), 'lease-1')).rejects.toThrow('newer version');
});

test('the version of a state is that of its database, as workers before this schema wrote it; one before that is not read', async () => {
  const states = stateStore();
  const dir = folder();
  const first = await owner(states, dir, 'lease-1');
  first.storage.writes.put(write(1, true), true);
  await first.mirror.flushed();
  using connection = openSqlite(join(dir, DATABASE_NAME), { readOnly: true });
  const { user_version: version } = connection.prepare('PRAGMA user_version').get() ?? {};
  const [state] = states.pieces();
  expect(JSON.parse(state?.content ?? '')).toMatchObject({ version, rows: { version } });
  const content = JSON.stringify({ version: 18, rows: { version: 18, tables: {} }, tokens: '' });
  const earlier = stateStore();
  await earlier.store.append('a', { kind: 'all', generation: 1, writer: 'lease-0', content }, 0);
  await expect(owner(earlier, folder(), 'lease-1')).rejects.toThrow('the state of this account cannot be read');
});

test('an account that was removed and added again begins anew, also where an old folder of it lies', async () => {
  const states = stateStore();
  const dir = folder();
  const first = await owner(states, dir, 'lease-1');
  first.storage.writes.put(write(1, true), true);
  first.storage.close();
  await first.mirror.flushed();
  await states.store.append('a', { kind: 'removed', generation: 9, writer: 'removed', content: '' }, states.pieces().at(-1)?.seq ?? 0);
  expect((await owner(states, dir, 'lease-2')).storage.writes.left).toEqual([]);
});

test('all rows in several messages, of which the last was not taken, are appended again as a whole before anything older goes', async () => {
  const states = stateStore();
  const [one, two] = [folder(), folder()];
  writeFileSync(join(one, 'tokens.json'), 'tokens');
  const first = await owner(states, one, 'lease-1');
  await first.mirror.flushed();
  await first.mirror.flushedWhile(() => true);
  first.storage.close();
  states.cutNext();
  const again = await owner(states, one, 'lease-2');
  again.storage.writes.put(write(1, true), true);
  await again.mirror.flushed();
  const next = await owner(states, two, 'lease-3');
  expect(next.storage.writes.left.map(({ key }) => key)).toEqual([1]);
  expect(readFileSync(join(two, 'tokens.json'), 'utf8')).toBe('tokens');
});

test('a damaged database gives way to the state at NATS', async () => {
  const states = stateStore();
  const dir = folder();
  const first = await owner(states, dir, 'lease-1');
  first.storage.writes.put(write(1, true), true);
  await first.mirror.flushed();
  first.storage.close();
  await first.mirror.flushed();
  writeFileSync(join(dir, 'heating2mqtt.db'), 'not a database');
  const second = await owner(states, dir, 'lease-2');
  expect(second.storage.writes.left.map(({ key }) => key)).toEqual([1]);
});

test('a state without its beginning is refused', async () => {
  const states = stateStore();
  const first = await owner(states, folder(), 'lease-1');
  for (const key of [1, 2, 3]) {
    first.storage.writes.put(write(key, true), false);
    await first.mirror.flushed();
  }
  const changes = states.pieces().filter(({ kind }) => kind === 'changes');
  expect(changes.length).toBeGreaterThan(0);
  states.goBackTo(changes);
  await expect(owner(states, folder(), 'lease-2')).rejects.toThrow('its first part is missing on NATS');
});

test('a login that is made while the account does not run is there for its next owner', async () => {
  const states = stateStore();
  const [one, two] = [folder(), folder()];
  const first = await owner(states, one, 'lease-1');
  first.storage.writes.put(write(1, true), true);
  first.storage.close();
  await first.mirror.flushed();
  const { mirror } = await idleOwner(states, one, 'lease-2');
  replaceFile(join(one, 'tokens.json'), 'a new login');
  expect(await mirror.flushedWhile(() => true)).toBe(true);
  const third = await owner(states, two, 'lease-3');
  expect(readFileSync(join(two, 'tokens.json'), 'utf8')).toBe('a new login');
  expect(third.storage.writes.left.map(({ key }) => key)).toEqual([1]);
});

test('where another worker has come nothing is told as kept, also where nothing is to append, and no hand-over waits for it', async () => {
  const states = stateStore();
  const first = await owner(states, folder(), 'lease-1');
  await first.mirror.flushed();
  const second = await owner(states, folder(), 'lease-2');
  await second.mirror.flushed();
  first.storage.writes.put(write(1, true), true);
  // Its lease goes on being held, as that of a worker whose state was appended by a stale one.
  expect(await first.mirror.flushedWhile(() => true)).toBe(false);
  expect(first.lost).toEqual(['lease-1']);
  let isKept = false;
  void first.mirror.flushed().then(() => {
    isKept = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isKept).toBe(false);
});

test('a login from before the fleet outlasts a kill between the parts of its first piece', async () => {
  const states = stateStore();
  const dir = folder();
  writeFileSync(join(dir, 'tokens.json'), 'a login from before the fleet');
  states.cutNext();
  const first = await owner(states, dir, 'lease-1');
  void first.mirror.flushed();
  await expect.poll(() => states.pieces().length).toBe(1);
  first.mirror.end();
  const next = await owner(states, dir, 'lease-2');
  await next.mirror.flushed();
  expect(readFileSync(join(dir, 'tokens.json'), 'utf8')).toBe('a login from before the fleet');
});

test('what no worker has written among the states is passed where the lease is held, and takes no state from anybody', async () => {
  const states = stateStore();
  const [one, two] = [folder(), folder()];
  states.stray();
  writeFileSync(join(one, 'tokens.json'), 'a login from before the fleet');
  let isHeld = true;
  const first = await owner(states, one, 'lease-1', async () => isHeld);
  expect(readFileSync(join(one, 'tokens.json'), 'utf8')).toBe('a login from before the fleet');
  await first.mirror.flushed();
  states.stray();
  first.storage.writes.put(write(1, true), true);
  await first.mirror.flushed();
  expect(first.lost).toEqual([]);
  states.stray();
  isHeld = false;
  first.storage.writes.put(write(2, true), true);
  expect(await first.mirror.flushedWhile(() => true)).toBe(false);
  expect(first.lost).toEqual(['lease-1']);
  const second = await owner(states, two, 'lease-2');
  await second.mirror.flushed();
  expect(second.storage.writes.left.map(({ key }) => key)).toEqual([1]);
  expect(states.pieces().at(-1)?.generation).toBe(2);
});
