import { expect, test } from 'vitest';
import { planCalls } from '../../../../src/bridge/plans/planCalls.ts';
import type { KeyedStore } from '../../../../src/bridge/ports.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** What a write takes at most with one confirming read; so many of them fit into a day. */
const [MOST, WRITES] = [3, 11];

const PLACE = { device: 'g/0', feature: 'heating.dhw.schedule' };

/** The calls of a day, over restarts; `left`: writes that the run before has sent and not answered; `running`: whose temporary write runs on `PLACE`. */
const callsOf = (left: readonly { readonly kind: string; readonly topic?: string }[] = [], running?: string) => {
  const kept = new Map<string, object>();
  const store: KeyedStore = {
    read: () => new Map(kept),
    write: (key, value) => {
      if (value) kept.set(key, structuredClone(value));
      return true;
    },
  };
  const time = { now: 0, pausedForMs: 0 };
  const sent = left.map(({ kind, topic = 'heat/x/set' }, key) => ({ key, state: 'sent', answer: 'open', by: { kind }, topic }));
  const writes = { all: () => sent, sent: () => ({ by: { kind: running ?? 'price' } }), isLeft: () => true } as never;
  const ends = { allRunning: () => (running === undefined ? [] : [{ ...PLACE, key: 1, untilMs: HOUR }]) } as never;
  const calls = planCalls(
    {
      ...{ confirmS: [5], store, writes, ends },
      quota: { knownMs: () => time.now, pausedForMs: () => time.pausedForMs },
    },
    { now: () => time.now, elapsedMs: () => time.now },
  );
  /** How many writes there is room for now. */
  const room = (wanted: Parameters<typeof calls.write>[0] = {}): number => {
    let count = 0;
    while (calls.write(wanted)) count += 1;
    return count;
  };
  return { calls, room, time };
};

test.each([
  ['nothing', [], WRITES],
  ['writes of people', [{ kind: 'mqtt' }, { kind: 'page' }, { kind: 'homeassistant' }], WRITES],
  ['a plan, and the end of a write, which are looked up by two reads each', [{ kind: 'calendar' }, { kind: 'end' }], WRITES - 1],
  ['the week of a season', [{ kind: 'season' }], WRITES - 1],
  ['the end of a write', [{ kind: 'end' }], WRITES - 1],
  ['a charge from surplus', [{ kind: 'mqtt', topic: 'heat/x/heating/dhw/oneTimeCharge/surplus/set' }], WRITES - 1],
] as const)('a run before has left %s', (_, left, room) => expect(callsOf(left).room()).toBe(room));

test.each([
  ['was not sent as no call was left', { status: 'failed', code: 'no_quota' }, MOST],
  ['was not sent as the bridge stopped', { status: 'failed', code: 'stopping' }, MOST],
  ['the platform has refused', { status: 'failed', code: 'offline' }, 1],
  ['changed nothing', { status: 'unchanged' }, 1],
  ['was applied after the first confirming read', { status: 'applied' }, 0],
  ['nobody knows of', { status: 'failed', code: 'unknown_outcome' }, 0],
] as const)('a write that %s gives back what it did not need', (_, answer, givenBack) => {
  const { calls, room, time } = callsOf();
  const answered = [calls.write(), calls.write(), calls.write()];
  time.now = MINUTE;
  for (const one of answered) one?.(answer as never);
  // What is left of 34 calls.
  expect(room()).toBe(Math.floor((34 - 3 * (MOST - givenBack)) / MOST));
});

test('the return of what a plan has written keeps its calls, but for a write that ends it; that of a person keeps none', () => {
  expect(callsOf([], 'price').room()).toBe(WRITES - 1);
  expect(callsOf([], 'price').room({ ends: PLACE })).toBe(WRITES);
  expect(callsOf([], 'price').room({ ends: { ...PLACE, feature: 'another' } })).toBe(WRITES - 1);
  expect(callsOf([], 'mqtt').room()).toBe(WRITES);
});

test('tries of a return that were not sent hold the next one not back, and it waits while the platform allows no call', () => {
  const { calls, time } = callsOf();
  for (let made = 0; made < WRITES - 1; made += 1) calls.write();
  for (let tries = 0; tries < 20; tries += 1) {
    time.now += MINUTE;
    const answered = calls.forReturn({ key: 1 });
    expect(answered).toBeTypeOf('function');
    answered?.({ status: 'failed', code: 'no_quota' } as never);
  }
  time.pausedForMs = HOUR;
  expect(calls.forReturn({ key: 1 })).toBe(undefined);
});
