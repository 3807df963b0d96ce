import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shareOut } from '../../../src/fleet/share.ts';

const names = (most: number) => fc.uniqueArray(fc.stringMatching(/^[a-z0-9]{1,6}$/), { maxLength: most });

test('each account is at one worker, evenly, the same for whoever asks', () => {
  fc.assert(
    fc.property(names(40), names(6), fc.infiniteStream(fc.nat()), (accounts, workers, chance) => {
      const placed = accounts.map((name) => ({ name }));
      const shared = shareOut(placed, workers);
      expect(shared.size).toBe(workers.length === 0 ? 0 : accounts.length);
      const most = Math.ceil(accounts.length / workers.length);
      const loads = workers.map((worker) => [...shared.values()].filter((one) => one === worker).length);
      if (workers.length > 0) expect([Math.max(...loads) <= most, Math.max(...loads) - Math.min(...loads) <= 1]).toEqual([true, true]);
      const shuffled = <T>(all: readonly T[]): T[] => all.toSorted(() => (Number(chance.next().value) % 2 === 0 ? 1 : -1));
      expect(shareOut(shuffled(placed), shuffled(workers))).toEqual(new Map(shared));
    }),
  );
});

test('an account stays at the worker that a person has chosen while that one is there', () => {
  const accounts = ['a', 'b', 'c', 'd'].map((name) => ({ name, worker: 'w2' }));
  expect([...shareOut(accounts, ['w1', 'w2']).values()]).toEqual(['w2', 'w2', 'w2', 'w2']);
  expect(new Set(shareOut(accounts, ['w1', 'w3']).values())).toEqual(new Set(['w1', 'w3']));
});

test('an account goes to a worker that can serve it, and to none where nobody can', () => {
  const accounts = [{ name: 'a', worker: 'w1' }, { name: 'b' }, { name: 'c' }];
  const shared = shareOut(accounts, ['w1', 'w2'], (worker, account) => account === 'c' || (account !== 'b' && worker === 'w1'));
  expect([shared.get('a'), shared.has('b'), shared.has('c')]).toEqual(['w2', true, false]);
});

test('where one of ten workers goes, most accounts of the others stay', () => {
  const accounts = Array.from({ length: 1000 }, (_, index) => ({ name: `account-${index}` }));
  const workers = Array.from({ length: 10 }, (_, index) => `worker-${index}`);
  const before = shareOut(accounts, workers);
  const after = shareOut(accounts, workers.slice(1));
  const moved = accounts.filter(({ name }) => before.get(name) !== 'worker-0' && before.get(name) !== after.get(name));
  expect(moved.length).toBeLessThan(200);
});
