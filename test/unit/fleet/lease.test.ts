import { expect, test } from 'vitest';
import type { Held } from '../../../src/fleet/fleetStore.ts';
import { guardOf } from '../../../src/fleet/guard.ts';
import { Lease } from '../../../src/fleet/lease.ts';
import type { Mirror } from '../../../src/fleet/mirror.ts';
import { LEASE_MS } from '../../../src/fleet/openNats.ts';
import { OutOfStep } from '../../../src/fleet/outOfStep.ts';
import { fakeClock } from '../../support/time/fakeClock.ts';

/** One key of a bucket whose values end by themselves, with the faults of a network. */
const bucket = (now: () => number) => {
  let held: (Held & { readonly atMs: number }) | undefined;
  let revision = 0;
  const state = { away: false, losesConfirmations: false };
  const present = () => (held && now() - held.atMs < LEASE_MS ? held : undefined);
  const reached = async (): Promise<void> => {
    if (state.away) throw new Error('timeout');
  };
  return {
    state,
    store: {
      lease: async () => {
        await reached();
        return present();
      },
      putLease: async (_: string, value: object, last: number) => {
        await reached();
        if ((present()?.revision ?? 0) !== last) throw new OutOfStep('wrong last sequence');
        revision += 1;
        held = { value: { ...value }, revision, atMs: now() };
        if (state.losesConfirmations) throw new Error('timeout');
        return revision;
      },
      deleteLease: async (_: string, last: number) => {
        await reached();
        if (present()?.revision !== last) throw new OutOfStep('wrong last sequence');
        held = undefined;
      },
    },
  };
};

const world = () => {
  const clock = fakeClock();
  const { state, store } = bucket(() => clock.elapsedMs());
  const lost: string[] = [];
  const lease = (name: string) =>
    new Lease({ store, key: 'account.a', shown: () => ({ worker: name }), clock, onLost: () => lost.push(name) });
  return { clock, state, store, lease, lost };
};

test('one has it until it is released, then another one at once', async () => {
  const { clock, lease, lost } = world();
  const [a, b] = [lease('a'), lease('b')];
  expect(await a.acquire()).toBe(true);
  expect(await b.acquire()).toBe(false);
  await clock.pass(10 * LEASE_MS);
  expect([a.isHeld, await lease('b').acquire()]).toEqual([true, false]);
  await a.release();
  expect([a.isHeld, await lease('b').acquire(), lost]).toEqual([false, true, []]);
  await expect(a.confirm()).rejects.toThrow();
});

test('where NATS is away it is given up before another one can have it', async () => {
  const { clock, state, lease, lost } = world();
  const a = lease('a');
  await a.acquire();
  state.away = true;
  await clock.pass(LEASE_MS - 1000);
  state.away = false;
  expect([a.isHeld, lost]).toEqual([false, ['a']]);
  await clock.pass(1000);
  expect(await lease('b').acquire()).toBe(true);
});

test('a process that was paused finds out before it sends anything', async () => {
  const { clock, lease, store } = world();
  // Its own clock stands still, as that of a machine that was suspended.
  const paused = new Lease({ store, key: 'account.a', shown: () => ({}), clock: fakeClock(), onLost: () => undefined });
  await paused.acquire();
  await clock.pass(LEASE_MS);
  expect(await lease('b').acquire()).toBe(true);
  expect(paused.isHeld).toBe(true);
  await expect(paused.confirm()).rejects.toThrow('another worker');
  expect(paused.isHeld).toBe(false);
});

test('a read that is due at the end of a pause goes on once the lease is confirmed', async () => {
  const { clock, store } = world();
  let pausedMs = 0;
  const late = { ...clock, elapsedMs: () => clock.elapsedMs() + pausedMs };
  const lease = new Lease({ store, key: 'account.a', shown: () => ({}), clock: late, onLost: () => undefined });
  await lease.acquire();
  pausedMs = 22_000;
  expect(lease.isHeld).toBe(false);
  await guardOf(lease, {} as Mirror).beforeRead();
  expect(lease.isHeld).toBe(true);
});

test('a renewal whose confirmation is lost is no loss', async () => {
  const { clock, state, lease, lost } = world();
  const a = lease('a');
  await a.acquire();
  state.losesConfirmations = true;
  await clock.pass(12_000);
  state.losesConfirmations = false;
  await clock.pass(60_000);
  expect([a.isHeld, lost]).toEqual([true, []]);
});

test('a lease whose first confirmation is lost is held', async () => {
  const { clock, state, lease } = world();
  state.losesConfirmations = true;
  const a = lease('a');
  const acquired = a.acquire();
  await clock.pass(3000);
  state.losesConfirmations = false;
  await clock.pass(1000);
  expect([await acquired, a.isHeld, await lease('b').acquire()]).toEqual([true, true, false]);
});

test('where NATS is away, the end of the worker ends the try for a lease', async () => {
  const { clock, state, lease } = world();
  const stopping = new AbortController();
  state.away = true;
  const acquired = expect(lease('a').acquire(stopping.signal)).rejects.toThrow('timeout');
  await clock.pass(1000);
  stopping.abort();
  await clock.pass(1000);
  await acquired;
});
