import { expect, test } from 'vitest';
import type { Held } from '../../../src/fleet/fleetStore.ts';
import { OutOfStep } from '../../../src/fleet/outOfStep.ts';
import { presenceOf } from '../../../src/fleet/presence.ts';
import { recordingLog } from '../../support/system/testSystem.ts';
import { fakeClock } from '../../support/time/fakeClock.ts';

const MB = 1024 ** 2;
/** So many that each worker has some. */
const ACCOUNTS = Array.from({ length: 10 }, (_, index) => ({ name: `account-${index}` }));

const world = () => {
  const clock = fakeClock();
  const leases = new Map<string, Held>();
  const nats = { isAway: false, isHiding: false, emptied: 0 };
  const store = {
    lease: async (key: string) => (nats.isHiding ? undefined : leases.get(key)),
    putLease: async (key: string, value: object, revision: number) => {
      if (nats.isAway) throw new Error('timeout');
      if ((leases.get(key)?.revision ?? 0) !== revision) throw new OutOfStep('wrong last sequence');
      leases.set(key, { value: { ...value }, revision: revision + 1 });
      return revision + 1;
    },
    deleteLease: async (key: string) => void leases.delete(key),
    emptyLeases: async () => {
      nats.emptied += 1;
    },
  };
  const worker = (name: string) => {
    const disk = { freeMb: 1000 };
    const lines: { level: string; facts: object; sentence: string }[] = [];
    const presence = presenceOf({ store, name, clock, log: recordingLog(lines), freeBytes: () => disk.freeMb * MB });
    /** The workers that have accounts. */
    const look = async (): Promise<readonly string[]> => {
      await presence.read(leases.keys());
      await presence.isSettled(new AbortController().signal);
      return [...new Set(presence.share(ACCOUNTS).values())].toSorted();
    };
    return { presence, disk, lines, look };
  };
  return { clock, nats, leases, worker };
};

test('a worker whose disk is nearly full leaves its accounts to those with room, until it has room again', async () => {
  const { worker } = world();
  const [a, b] = [worker('a'), worker('b')];
  const looks = async () => [await a.look(), await b.look(), await a.look()].slice(1);
  const both = ['a', 'b'];
  await looks();
  expect(await looks()).toEqual([both, both]);
  a.disk.freeMb = 15;
  await looks();
  expect(await looks()).toEqual([['b'], ['b']]);
  a.disk.freeMb = 17;
  expect(await looks()).toEqual([['b'], ['b']]);
  expect(a.presence.canFollow('b')).toBe(true);
  // What could not be written would not be handed over.
  a.disk.freeMb = 1;
  expect([await looks(), a.presence.canFollow('b')]).toEqual([[['b'], ['b']], false]);
  expect(a.lines.map(({ level, sentence }) => [level, sentence.slice(0, 41)])).toEqual([
    ['error', 'the disk of this worker is nearly full, o'],
  ]);
  // Where no worker has room they go on as they can.
  b.disk.freeMb = 10;
  await looks();
  expect(await looks()).toEqual([both, both]);
  a.disk.freeMb = 40;
  await looks();
  expect(await looks()).toEqual([['a'], ['a']]);
  expect(a.lines.at(-1)).toMatchObject({ level: 'info', sentence: 'the disk of this worker has free space again: it serves accounts' });
});

test('an account that no worker with room can serve stays with one whose disk is nearly full', async () => {
  const { worker } = world();
  const [a, b] = [worker('a'), worker('b')];
  await a.look();
  await b.look();
  a.disk.freeMb = 15;
  await b.presence.refuse('account-3');
  for (const one of [a, b, a]) await one.look();
  const shares = [a, b].map(({ presence }) => ACCOUNTS.flatMap(({ name }) => (presence.share(ACCOUNTS).get(name) === 'a' ? [name] : [])));
  expect(shares).toEqual([['account-3'], ['account-3']]);
});

test('a worker whose lease NATS lists and cannot give is not there', async () => {
  const { leases, worker } = world();
  const [a, b] = [worker('a'), worker('b')];
  for (const one of [a, b, a]) await one.look();
  expect(await a.look()).toEqual(['a', 'b']);
  leases.delete('worker.b');
  await a.presence.read(['worker.a', 'worker.b']);
  expect(new Set(a.presence.share(ACCOUNTS).values())).toEqual(new Set(['a']));
});

test('where NATS hides the leases that it lists nothing is shared out, and they are emptied after 20 to 40 s', async () => {
  const { clock, nats, worker } = world();
  const a = worker('a');
  await a.look();
  expect(await a.look()).toEqual(['a']);
  nats.isHiding = true;
  for (let seconds = 0; seconds < 19; seconds += 1) {
    await expect(a.look()).rejects.toThrow('NATS lists the lease of this worker but cannot return it');
    await clock.pass(1000);
  }
  expect(nats.emptied).toBe(0);
  for (let seconds = 19; seconds <= 41; seconds += 1) {
    await expect(a.look()).rejects.toThrow('NATS lists the lease');
    await clock.pass(1000);
  }
  expect([nats.emptied, a.lines.map(({ sentence }) => sentence.slice(0, 46))]).toEqual([
    1,
    ['NATS lists leases but cannot return them: they'],
  ]);
  nats.isHiding = false;
  expect(await a.look()).toEqual(['a']);
});

test('a worker that finds its name taken says so, and not where it is its own lease that was lost while NATS was away', async () => {
  const { clock, nats, leases, worker } = world();
  const [first, second] = [worker('a'), worker('a')];
  await first.look();
  await second.look();
  expect(second.lines.map(({ sentence }) => sentence.slice(0, 33))).toEqual(['another worker has this name, or ']);
  nats.isAway = true;
  await clock.pass(25_000);
  nats.isAway = false;
  await first.look();
  expect(first.lines).toEqual([]);
  // It stays taken for longer than a lease lasts.
  await clock.pass(31_000);
  await first.look();
  expect(first.lines).toHaveLength(1);
  leases.clear();
  await first.look();
  expect([...leases.keys()]).toEqual(['worker.a']);
});
