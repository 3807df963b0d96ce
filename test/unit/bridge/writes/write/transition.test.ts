import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WriteEvent } from '../../../../../src/bridge/writes/write/step.ts';
import { transition } from '../../../../../src/bridge/writes/write/transition.ts';
import { groupOf, isSent, type SentWrite } from '../../../../../src/bridge/writes/write/write.ts';
import { runs } from '../../../../support/chance.ts';
import { featureOf } from '../../../../support/devices/features.ts';

const PART = { property: 'slope', written: 2, former: 1 };
const DAYS = [{ property: 'entries', day: 'mon' as const, written: [], former: [] }];
const EVENTS: readonly WriteEvent[] = [
  { kind: 'accepted', words: {} },
  { kind: 'lost' },
  { kind: 'refused', result: { status: 'failed' } },
  { kind: 'confirmed', result: { status: 'applied' } },
  { kind: 'unconfirmed', result: { status: 'unconfirmed' } },
  { kind: 'made', change: DAYS },
  { kind: 'settled' },
  { kind: 'endChanged', end: undefined },
  { kind: 'shown', feature: featureOf('curve', { slope: { value: 2 } }) },
];

const more: fc.Arbitrary<Partial<SentWrite>> = fc.record(
  {
    state: fc.constantFrom('sent', 'lost', 'accepted', 'settled'),
    values: fc.constantFrom({ slope: 2 }, { slope: 3 }, { shift: 2 }),
    end: fc.constantFrom({ untilMs: 9000, parts: [PART] }, { untilMs: 5000, parts: [{ ...PART, written: 3, former: 2 }] }),
    isUndoable: fc.constant(true as const),
    undoes: fc.nat(16),
    group: fc.nat(16),
    purpose: fc.constantFrom('undo', 'restore'),
  },
  { requiredKeys: ['state', 'values'] },
);

/** Sent writes to a feature; those over a temporary one are marked, as when they are sent. */
const sentOf = (all: readonly Partial<SentWrite>[]): readonly SentWrite[] =>
  all.map((one, index) => ({
    ...{ key: index + 1, device: 'd', feature: 'curve', at: 7000, name: 'home', topic: 't', command: 'c', answer: 'open', state: 'sent' },
    ...one,
    ...(!one.end && all.slice(0, index).some(({ end }) => end) ? { over: true } : {}),
  }));

test('whatever an event makes of the writes to a feature: newer ones keep what they do, none waits for an end that is gone, ten changes can be taken back', () => {
  fc.assert(
    fc.property(fc.array(more, { minLength: 1, maxLength: 16 }), fc.nat(15), fc.constantFrom(...EVENTS), (all, index, event) => {
      const sent = sentOf(all);
      const write = sent[index % sent.length] as SentWrite;
      const { changes } = transition(write, sent, event);
      const after = new Map<number, SentWrite>(sent.map((one) => [one.key, one]));
      for (const change of changes) {
        // Each change goes on from the one before.
        expect(change.before).toBe(after.get(change.before.key));
        if (change.after && isSent(change.after)) after.set(change.after.key, change.after);
      }
      const newer = (all: Iterable<SentWrite>) =>
        [...all].filter(({ key }) => key > write.key).map(({ over: _, isUndoable: __, ...one }) => one);
      expect(newer(after.values())).toEqual(newer(sent));
      const ended = [...after.values()].find(({ end }) => end)?.key ?? Number.POSITIVE_INFINITY;
      expect([...after.values()].filter(({ over, key }) => over && key < ended)).toEqual([]);
      const undoable = [...after.values()].filter(({ isUndoable, state }) => isUndoable && state !== 'sent');
      if (event.kind === 'accepted' || event.kind === 'made') expect(new Set(undoable.map(groupOf)).size).toBeLessThanOrEqual(10);
    }),
    { numRuns: runs(2000) },
  );
});

test('a change whose answer is lost takes the place of no older one: it may not have been made', () => {
  const sent = sentOf(Array.from({ length: 11 }, (_, index) => ({ state: index < 10 ? 'settled' : 'sent', isUndoable: true })));
  const undone = (event: WriteEvent) =>
    transition(sent[10] as SentWrite, sent, event).changes.flatMap(({ after }) =>
      after && isSent(after) && !after.isUndoable ? after.key : [],
    );
  expect(undone({ kind: 'lost' })).toEqual([]);
  expect(undone({ kind: 'accepted', words: {} })).toEqual([1]);
});
