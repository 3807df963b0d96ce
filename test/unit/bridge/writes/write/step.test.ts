import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resultOf, type StepEffect, step, type WriteEvent } from '../../../../../src/bridge/writes/write/step.ts';
import { isLive, isSent, readWrite, type SentWrite, type WaitingWrite, type Write } from '../../../../../src/bridge/writes/write/write.ts';
import { runs } from '../../../../support/chance.ts';
import { featureOf } from '../../../../support/devices/features.ts';
import { storedOf } from '../../../../support/execution/storedWrite.ts';

const ROW = { key: 5, at: 1, device: 'g/0', feature: 'curve', name: 'home', topic: 'b/home/curve/set' };
const CHANGE = [{ property: 'slope', written: 2, former: 1 }];
const DAYS = [{ property: 'entries', day: 'mon' as const, written: [], former: [] }];
const END = { untilMs: 1000, parts: CHANGE };
const OTHER = [{ property: 'slope', written: 2, former: 3 }];
const curve = (slope: number) => featureOf('curve', { slope: { value: slope } });

const sent = (more: Partial<SentWrite> = {}): SentWrite => ({
  ...{ ...ROW, state: 'sent', command: 'setCurve', values: { slope: 2 }, before: [], change: CHANGE, answer: 'open' },
  ...more,
});
const waiting = (more: Partial<WaitingWrite> = {}): WaitingWrite => ({
  ...{ ...ROW, state: 'waiting', command: 'schedule', values: { start: 'x' }, missing: ['end'], untilMs: 1000 },
  ...more,
});

const WAS = (slope: number) => [
  { property: 'shift', values: [2] },
  { property: 'slope', values: [slope] },
];
const BOTH = { slope: 2, shift: 4 };
const ADAPTED = sent({ state: 'accepted', adapted: true, answer: 'given', end: { ...END, unseen: true } });

const APPLIED = { status: 'applied' } as const;
const NOT_SHOWN = { status: 'unconfirmed', code: 'not_shown' } as const;
const FAILED = { status: 'failed', code: 'validation' } as const;
const EVENTS: readonly WriteEvent[] = [
  { kind: 'accepted', words: {} },
  { kind: 'lost' },
  { kind: 'refused', result: FAILED },
  { kind: 'confirmed', result: APPLIED },
  { kind: 'unconfirmed', result: NOT_SHOWN },
  { kind: 'adapted', change: CHANGE, shows: curve(3), result: APPLIED },
  { kind: 'made', change: DAYS },
  { kind: 'unconfirmed', result: FAILED },
  { kind: 'unconfirmed' },
  { kind: 'settled' },
  { kind: 'answered', result: FAILED },
  { kind: 'delivered' },
  { kind: 'endChanged', end: { ...END, untilMs: 7 } },
  { kind: 'endChanged', end: undefined },
  { kind: 'shown', feature: curve(2) },
  { kind: 'replaced', by: sent({ key: 9, values: { slope: 4 } }) },
  { kind: 'returnIgnored', by: sent({ key: 9, purpose: 'restore' }) },
  { kind: 'followed', by: { untilMs: 5, parts: OTHER } },
  { kind: 'undone' },
  { kind: 'uncovered' },
  { kind: 'joined' },
  { kind: 'overwritten', properties: ['start'], why: 'so' },
  { kind: 'closed', result: { status: 'superseded' } },
  { kind: 'otherSent', command: 'schedule', properties: ['start'], isCancelling: false },
];

/** The final answers that events give to a write, and what is left of it. */
const tell = (write: Write, events: readonly WriteEvent[]): { readonly left: Write | undefined; readonly answers: readonly string[] } => {
  let left: Write | undefined = write;
  const effects: StepEffect[] = [];
  for (const event of events) {
    if (!left) break;
    const next = step(left, event);
    effects.push(...next.effects);
    left = next.write;
  }
  return { left, answers: effects.flatMap((one) => (one.kind === 'answer' && one.isFinal ? [one.result.status] : [])) };
};

/** The name of a property. The schemas of zod leave out `__proto__`, which no platform uses. */
const NAME = fc.string().filter((name) => name !== '__proto__');

const writes: fc.Arbitrary<Write> = fc.oneof(
  fc
    .record({
      state: fc.constantFrom('sent' as const, 'lost' as const, 'accepted' as const),
      more: fc.record(
        {
          end: fc.constant(END),
          isUndoable: fc.constant(true as const),
          over: fc.constant(true as const),
          kept: fc.constant(['mon' as const]),
          purpose: fc.constantFrom('undo' as const, 'revert' as const),
          undoes: fc.nat(),
          until: fc.nat(),
          id: fc.oneof(fc.string(), fc.integer()),
          change: fc.constantFrom(CHANGE, DAYS),
          values: fc.dictionary(NAME, fc.jsonValue() as fc.Arbitrary<never>),
        },
        { requiredKeys: [] },
      ),
    })
    .map(({ state, more }) => sent({ ...more, state, ...(state === 'lost' ? { isPossible: true } : {}) })),
  fc.dictionary(NAME, fc.string(), { minKeys: 1 }).map((values) => waiting({ values })),
  fc.constant<Write>({ ...ROW, state: 'queued' }),
);

describe('whatever happens to a write', () => {
  test('it gets one final answer at most, and none after that has arrived', () => {
    fc.assert(
      fc.property(writes, fc.array(fc.constantFrom(...EVENTS)), (write, events) => {
        const { answers } = tell(write, events);
        expect(answers.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: runs(1000) },
    );
  });

  test('a new run gives the final answer once more, where it had not arrived', () => {
    fc.assert(
      fc.property(writes, fc.array(fc.constantFrom(...EVENTS)), (write, events) => {
        const { left } = tell(write, events);
        const { left: resumed, answers } = left ? tell(left, [{ kind: isSent(left) ? 'resumed' : 'answerAgain' }]) : { left, answers: [] };
        if (resumed && isSent(resumed)) expect([answers, ['open', 'delivered']]).toEqual([[], expect.arrayContaining([resumed.answer])]);
        else
          expect(answers.length).toBe(
            Number(resumed?.state === 'queued' || (resumed?.state === 'waiting' && resumed.outcome !== undefined)),
          );
      }),
      { numRuns: runs(1000) },
    );
  });

  test('what was refused has no end, and nothing to take back', () => {
    fc.assert(
      fc.property(writes, fc.array(fc.constantFrom(...EVENTS)), (write, events) => {
        const { left } = tell(write, [...events, { kind: 'refused', result: FAILED }]);
        if (left && isSent(left)) expect([left.end, left.isUndoable]).toEqual([undefined, undefined]);
      }),
    );
  });

  test('what the next run answers for one that waited for its turn is what it was answered before, if it was', () => {
    const queued: Write = { ...ROW, state: 'queued' };
    expect(tell(queued, [{ kind: 'answerAgain' }]).answers).toEqual(['failed']);
    const events: readonly WriteEvent[] = [{ kind: 'answered', result: { status: 'superseded' } }, { kind: 'answerAgain' }];
    expect(tell(queued, events).answers).toEqual(['superseded']);
    expect(tell(queued, [...events, { kind: 'delivered' }]).left).toBeUndefined();
  });

  test('it is the same after it was stored', () => {
    fc.assert(
      fc.property(writes, fc.array(fc.constantFrom(...EVENTS)), (write, events) => {
        const { left } = tell(write, events);
        const row = left && JSON.parse(JSON.stringify(storedOf(left)));
        if (row) expect(JSON.parse(JSON.stringify(readWrite(row)))).toEqual(JSON.parse(JSON.stringify(left)));
      }),
      { numRuns: runs(1000) },
    );
  });
});

/** What a write is after an event: its state, its answer, and what is left of its end and of its undo. */
const after = (write: SentWrite, event: WriteEvent): string => {
  const { write: next, effects } = step(write, event);
  const told = effects.map((one) => (one.kind === 'answer' ? one.result.status : one.kind === 'tellOlder' ? one.event.kind : one.kind));
  if (!next || !isSent(next)) return 'gone';
  const marks = [next.isPossible && 'possible', next.end && 'end', next.over && 'over', next.isUndoable && 'undo'].filter(
    (mark) => typeof mark === 'string',
  );
  return `${[next.state, ...marks].join(' ')}: ${told.join(' ')}`;
};

test.each<[write: SentWrite, event: WriteEvent, expected: string]>([
  [sent(), { kind: 'accepted', words: {} }, 'accepted: markPending show accepted'],
  [sent({ end: END }), { kind: 'accepted', words: {} }, 'accepted end: markPending show followed accepted'],
  [sent({ kept: ['mon'] }), { kind: 'accepted', words: {} }, 'accepted: markPending show superseded'],
  [sent({ values: undefined }), { kind: 'accepted', words: {} }, 'accepted: markPending show carriedOut applied'],
  [sent({ undoes: 3 }), { kind: 'accepted', words: {} }, 'accepted: markPending show undone accepted'],
  [sent({ undoes: 3, until: 9 }), { kind: 'accepted', words: {} }, 'accepted: markPending show accepted'],
  [sent({ end: END }), { kind: 'lost' }, 'lost possible end: markPending'],
  [sent({ end: END, isUndoable: true }), { kind: 'refused', result: FAILED }, 'failed: show failed'],
  [sent({ state: 'accepted', end: END }), { kind: 'confirmed', result: APPLIED }, 'accepted end: show carriedOut applied'],
  [sent({ state: 'accepted', end: END }), { kind: 'unconfirmed', result: NOT_SHOWN }, 'accepted end: show unconfirmed'],
  [sent({ state: 'accepted', purpose: 'revert' }), { kind: 'unconfirmed', result: NOT_SHOWN }, 'accepted: show returnIgnored unconfirmed'],
  [sent({ state: 'lost', isPossible: true }), { kind: 'confirmed', result: APPLIED }, 'accepted: show carriedOut applied'],
  [sent({ state: 'lost', isPossible: true, end: END }), { kind: 'shown', feature: curve(2) }, 'lost possible end: '],
  [
    sent({ state: 'settled', isPossible: true, end: END, answer: 'given' }),
    { kind: 'shown', feature: curve(2) },
    'settled end: show followed carriedOut',
  ],
  [sent({ state: 'settled', isPossible: true, end: END, answer: 'given' }), { kind: 'shown', feature: curve(5) }, 'settled possible end: '],
  [sent({ state: 'accepted', end: { ...END, unseen: true } }), { kind: 'shown', feature: curve(2) }, 'accepted end: carriedOut'],
  [sent({ state: 'settled', over: true, answer: 'given' }), { kind: 'shown', feature: curve(2) }, 'settled: carriedOut'],
  [sent({ state: 'settled', over: true, answer: 'given' }), { kind: 'shown', feature: curve(1) }, 'settled over: '],
  [sent({ state: 'settled', over: true, answer: 'given' }), { kind: 'uncovered' }, 'settled: '],
  [sent({ state: 'settled', over: true, answer: 'given' }), { kind: 'returnIgnored', by: sent() }, 'settled: '],
  [
    sent({ state: 'settled', over: true, answer: 'given' }),
    { kind: 'returnIgnored', by: sent({ values: { slope: 4 } }) },
    'settled over: ',
  ],
  [sent({ state: 'accepted', end: END }), { kind: 'replaced', by: sent({ values: { slope: 4 } }) }, 'accepted: '],
  [sent({ state: 'accepted', end: END }), { kind: 'replaced', by: sent({ change: [] }) }, 'accepted end: '],
  [sent({ state: 'accepted', end: END }), { kind: 'replaced', by: sent() }, 'accepted: '],
  [sent({ state: 'accepted', end: END }), { kind: 'replaced', by: sent({ values: { shift: 4 }, change: [] }) }, 'accepted end: '],
  // The same value from the same one before is left to the newer one.
  [sent({ state: 'accepted', end: END }), { kind: 'followed', by: { ...END, untilMs: 5 } }, 'accepted: '],
  [sent({ state: 'accepted', end: END }), { kind: 'followed', by: { untilMs: 5, parts: OTHER } }, 'accepted end: '],
  // What the device ends by itself.
  [sent({ state: 'accepted', end: END }), { kind: 'replaced', by: sent({ endsItself: true }) }, 'accepted: '],
  [sent({ state: 'accepted', end: END }), { kind: 'replaced', by: sent({ values: undefined, endsItself: true }) }, 'accepted: '],
  [sent({ state: 'accepted', end: END }), { kind: 'replaced', by: sent({ values: { shift: 4 }, endsItself: true }) }, 'accepted end: '],
  [sent({ end: END }), { kind: 'replaced', by: sent({ values: { slope: 4 } }) }, 'sent end: '],
  [sent({ state: 'accepted', values: undefined, answer: 'given' }), { kind: 'made', change: DAYS }, 'accepted undo: '],
  [sent({ state: 'accepted', purpose: 'undo' }), { kind: 'made', change: DAYS }, 'accepted: '],
  [
    sent({ isUndoable: true }),
    { kind: 'adapted', change: DAYS, shows: curve(3), result: APPLIED },
    'sent undo: clearPending show carriedOut applied',
  ],
  [sent({ state: 'settled', end: END }), { kind: 'endChanged', end: undefined }, 'settled: '],
  [sent({ state: 'settled' }), { kind: 'followed', by: { untilMs: 5, parts: OTHER } }, 'settled: '],
  [sent({ state: 'accepted', purpose: 'restore' }), { kind: 'unconfirmed', result: NOT_SHOWN }, 'accepted: show returnIgnored unconfirmed'],
  [sent({ state: 'accepted', purpose: 'undo' }), { kind: 'unconfirmed', result: NOT_SHOWN }, 'accepted: show unconfirmed'],
  // Before its answer a read that shows its value proves nothing.
  [sent({ end: { ...END, unseen: true } }), { kind: 'shown', feature: curve(2) }, 'sent end: '],
  [sent({ over: true }), { kind: 'shown', feature: curve(2) }, 'sent over: '],
  // What shows proves nothing while the answer is open, or lost, or where it was there before.
  [sent({ state: 'accepted', over: true }), { kind: 'shown', feature: curve(2) }, 'accepted over: '],
  [
    sent({ state: 'settled', over: true, answer: 'given', isPossible: true }),
    { kind: 'shown', feature: curve(2) },
    'settled possible over: ',
  ],
  [sent({ state: 'accepted', over: true, answer: 'given', before: WAS(2) }), { kind: 'shown', feature: curve(2) }, 'accepted over: '],
  [sent({ state: 'accepted', over: true, answer: 'given', before: WAS(7) }), { kind: 'shown', feature: curve(2) }, 'accepted: carriedOut'],
  [sent({ state: 'settled', over: true, answer: 'given', before: WAS(2) }), { kind: 'shown', feature: curve(2) }, 'settled: carriedOut'],
  [sent({ state: 'settled', over: true, answer: 'given', values: BOTH }), { kind: 'shown', feature: curve(2) }, 'settled over: '],
  [sent({ state: 'accepted', values: BOTH, before: WAS(2) }), { kind: 'confirmed', result: APPLIED }, 'accepted: show applied'],
  [sent({ state: 'accepted', values: BOTH, before: WAS(7) }), { kind: 'confirmed', result: APPLIED }, 'accepted: show carriedOut applied'],
  // One that the platform has adapted shows with any value that was not there before, where no confirming read has told it.
  [ADAPTED, { kind: 'shown', feature: curve(3) }, 'accepted end: carriedOut'],
  [ADAPTED, { kind: 'shown', feature: curve(1) }, 'accepted end: '],
  [{ ...ADAPTED, answer: 'open' }, { kind: 'shown', feature: curve(3) }, 'accepted end: '],
  [{ ...ADAPTED, adapted: undefined }, { kind: 'shown', feature: curve(3) }, 'accepted end: '],
  [{ ...ADAPTED, end: END }, { kind: 'shown', feature: curve(3) }, 'accepted end: '],
  [sent({ state: 'accepted', end: END, answer: 'given' }), { kind: 'shown', feature: curve(2) }, 'accepted end: '],
  [sent({ state: 'accepted', end: { ...END, unseen: true }, before: WAS(2) }), { kind: 'shown', feature: curve(2) }, 'accepted end: '],
  // Its days that another write of the command has overwritten were not sent, also where the answer was lost.
  [
    sent({ state: 'lost', isPossible: true, kept: ['mon'] }),
    { kind: 'confirmed', result: APPLIED },
    'accepted: show carriedOut superseded',
  ],
  [sent({ state: 'accepted', values: undefined, answer: 'given' }), { kind: 'made', change: CHANGE }, 'accepted: '],
  [sent({ state: 'accepted' }), { kind: 'unconfirmed', result: NOT_SHOWN }, 'accepted: show unconfirmed'],
  [sent({ state: 'lost', isPossible: true }), { kind: 'unconfirmed' }, 'lost possible: show'],
  [sent({ state: 'lost', isPossible: true, kept: ['mon'] }), { kind: 'unconfirmed', result: FAILED }, 'lost possible: show failed'],
  // Reads have ended it as a pending write.
  [sent(), { kind: 'settled' }, 'sent: '],
  [sent({ state: 'accepted' }), { kind: 'settled' }, 'settled: '],
  [sent({ state: 'lost', isPossible: true }), { kind: 'settled' }, 'settled possible: '],
  [sent({ state: 'failed' }), { kind: 'settled' }, 'failed: '],
  // An undo has taken it back meanwhile.
  [sent(), { kind: 'adapted', change: DAYS, shows: curve(3), result: APPLIED }, 'sent: clearPending show carriedOut applied'],
])('a write %# %j after %j', (write, event, expected) => {
  expect(after(write, event)).toBe(expected);
});

test.each<[write: SentWrite, event: WriteEvent, kept: Partial<SentWrite>]>([
  [sent(), { kind: 'accepted', words: {} }, { outcome: { status: 'accepted' }, answer: 'open' }],
  [sent(), { kind: 'accepted', words: {}, adapted: true }, { adapted: true }],
  [sent({ values: undefined }), { kind: 'accepted', words: {} }, { outcome: { status: 'applied' }, answer: 'given' }],
  [
    sent({ end: END }),
    { kind: 'adapted', change: CHANGE, shows: curve(3), result: APPLIED },
    { end: { ...END, parts: [{ property: 'slope', written: 3, former: 1 }] } },
  ],
  // Where no read has shown the adapted values, a later one does.
  [
    sent({ end: { ...END, unseen: true } }),
    { kind: 'adapted', change: CHANGE, shows: undefined, result: APPLIED },
    { end: { ...END, unseen: true } },
  ],
  [sent({ answer: 'given' }), { kind: 'resumed' }, { state: 'lost', isPossible: true, answer: 'open' }],
  [sent({ state: 'accepted', answer: 'delivered' }), { kind: 'resumed' }, { state: 'accepted', answer: 'delivered' }],
  [sent({ state: 'failed', outcome: FAILED }), { kind: 'answerAgain' }, { state: 'failed', outcome: FAILED, answer: 'given' }],
])('what is kept of a write %# %j after %j', (write, event, kept) => {
  expect(step(write, event).write).toMatchObject(kept);
});

test('what the platform adapted, and what a read has shown of a command whose effect cannot be predicted, is kept', () => {
  expect(step(sent(), { kind: 'accepted', words: {} }).write).toMatchObject({ adapted: undefined });
  expect(step(sent({ values: undefined, change: undefined }), { kind: 'made', change: DAYS }).write).toMatchObject({ change: DAYS });
  expect(step(sent(), { kind: 'made', change: undefined }).write).toMatchObject({ change: undefined });
});

test.each<[write: Partial<SentWrite>, event: WriteEvent, isTrimmed: boolean]>([
  [{ state: 'settled', answer: 'given' }, { kind: 'delivered' }, true],
  [{ state: 'failed', answer: 'given' }, { kind: 'delivered' }, true],
  [{ state: 'accepted', answer: 'delivered' }, { kind: 'settled' }, true],
  [{ state: 'settled', answer: 'delivered', over: true }, { kind: 'uncovered' }, true],
  [{ state: 'accepted', answer: 'given' }, { kind: 'delivered' }, false],
  [{ state: 'accepted', answer: 'given' }, { kind: 'settled' }, false],
  [{ state: 'settled', answer: 'given', over: true }, { kind: 'delivered' }, false],
])('the values of %j after %j go where nothing needs them: %s', (write, event, isTrimmed) => {
  expect(Object.hasOwn(step(sent(write), event).write ?? {}, 'values')).toBe(!isTrimmed);
});

test('an answer is kept as it is until it has arrived; of a long sentence the history has the begin', () => {
  const result = { status: 'failed', code: 'c', message: 'x'.repeat(501), errors: [] } as const;
  const given = step(sent(), { kind: 'refused', result }).write;
  expect(given && 'outcome' in given && given.outcome && resultOf(given.outcome)).toEqual(result);
  const delivered = given && step(given, { kind: 'delivered' }).write;
  expect(delivered && 'outcome' in delivered && delivered.outcome).toEqual({ status: 'failed', code: 'c', message: 'x'.repeat(500) });
});

test.each([
  ['given', { status: 'applied', more: { rev: 'r' } }],
  ['delivered', { status: 'applied' }],
] as const)('what reads have shown of a write whose answer was %s is kept beside it', (answer, outcome) => {
  const { write } = step(sent({ state: 'accepted', answer }), { kind: 'confirmed', result: { status: 'applied', rev: 'r' } });
  expect(write).toMatchObject({ answer });
  expect(write && 'outcome' in write && write.outcome).toEqual(outcome);
});

test.each<[write: WaitingWrite, event: WriteEvent, expected: string]>([
  [waiting(), { kind: 'joined' }, 'gone: show'],
  [waiting(), { kind: 'delivered' }, 'gone: '],
  [waiting(), { kind: 'answerAgain' }, 'start: '],
  [waiting({ outcome: FAILED }), { kind: 'answerAgain' }, 'start failed: failed'],
  [waiting(), { kind: 'closed', result: FAILED }, 'start failed: show failed'],
  [waiting({ outcome: FAILED }), { kind: 'closed', result: APPLIED }, 'start failed: '],
  [waiting({ values: { start: 'x', end: 'y' } }), { kind: 'overwritten', properties: ['start'], why: 'so' }, 'end: show'],
  [waiting(), { kind: 'overwritten', properties: ['start', 'end'], why: 'so' }, 'start superseded so: show superseded so'],
  [waiting(), { kind: 'overwritten', properties: ['end'], why: 'so' }, 'start: '],
  [waiting({ outcome: FAILED }), { kind: 'overwritten', properties: ['start'], why: 'so' }, 'start failed: '],
  ...(
    [
      [
        'schedule',
        ['end'],
        false,
        'start superseded schedule was sent with other values: show superseded schedule was sent with other values',
      ],
      ['plan', ['start'], false, 'start superseded plan was sent instead: show superseded plan was sent instead'],
      ['plan', ['end'], false, 'start: '],
      ['unschedule', [], true, 'start superseded it was cancelled before it was sent: show superseded it was cancelled before it was sent'],
    ] as const
  ).map(([command, properties, isCancelling, expected]): [WaitingWrite, WriteEvent, string] => [
    waiting(),
    { kind: 'otherSent', command, properties, isCancelling },
    expected,
  ]),
])('a value that waits for others %# %j after %j', (write, event, expected) => {
  const { write: next, effects } = step(write, event);
  const said = ({ status, message = '' }: { readonly status: string; readonly message?: string | undefined }) =>
    `${status} ${message}`.trim();
  const told = effects.map((one) => (one.kind === 'answer' ? `${one.isFinal ? '' : 'not yet '}${said(one.result)}` : one.kind));
  const left = next?.state === 'waiting' ? [...Object.keys(next.values), ...(next.outcome ? [said(next.outcome)] : [])].join(' ') : 'gone';
  expect(`${left}: ${told.join(' ')}`).toBe(expected);
});

describe('a row of an earlier run', () => {
  const rowOf = (facts: object) => ({ key: 1, at: 1, device: 'd', feature: 'f', facts });

  test('that makes no sense is left out, whatever it holds', () => {
    fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (facts) => readWrite(rowOf(facts)) === undefined));
    expect(readWrite({ ...ROW, at: -1, facts: { state: 'queued', name: 'n', topic: 't' } })).toBeUndefined();
    expect(readWrite({ ...ROW, at: 8.64e15, facts: { state: 'queued', name: 'n', topic: 't' } })).toBeUndefined();
  });

  test('with an end that makes no sense is read without it', () => {
    const { key, at, device, feature, ...facts } = sent({ state: 'settled', answer: 'delivered', end: END });
    const ends = ['x', -1, 0.5, 253_402_300_800_000, 8.64e15 + 2, Number.MAX_SAFE_INTEGER].map((untilMs) => ({ ...END, untilMs }));
    const parts = [[], [{ property: 'p', written: 1 }], [{ property: 'p', written: 1, former: null }], [{ ...CHANGE[0], day: 'x' }]].map(
      (some) => ({ ...END, parts: some }),
    );
    for (const end of [...ends, ...parts])
      expect(readWrite(rowOf({ ...facts, end }))).toMatchObject({ state: 'settled', command: 'setCurve', end: undefined });
  });

  test('with a change that makes no sense is read without it', () => {
    const { key, at, device, feature, ...facts } = sent();
    for (const change of [[{ property: 'slope', former: 1 }], [{ written: 2 }]])
      expect(readWrite(rowOf({ ...facts, change }))).toMatchObject({ command: 'setCurve', change: undefined });
  });
});

test.each<[write: Partial<SentWrite>, isOpen: boolean]>([
  [{ state: 'accepted', answer: 'delivered' }, true],
  [{ state: 'settled', answer: 'given' }, true],
  [{ state: 'settled', answer: 'delivered' }, false],
  [{ state: 'failed', answer: 'delivered' }, false],
  [{ state: 'settled', answer: 'delivered', end: END }, true],
  [{ state: 'settled', answer: 'delivered', over: true }, true],
  [{ state: 'settled', answer: 'delivered', isUndoable: true }, true],
])('something is open of %j: %s', (write, isOpen) => {
  expect(isLive(sent(write))).toBe(isOpen);
});
