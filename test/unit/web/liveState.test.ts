import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LogRing } from '../../../src/shared/log.ts';
import { type LiveEvent, LiveState, readLogLine } from '../../../src/web/live/liveState.ts';
import { runs } from '../../support/chance.ts';
import { FakeView } from '../../support/web/fakeView.ts';

const begin = () => {
  const ring = new LogRing();
  const state = new LiveState(ring, () => 1000);
  const view = new FakeView();
  state.attach(view.asBridge);
  const events: LiveEvent[] = [];
  state.on('event', (event) => events.push(event));
  return { ring, state, view, events };
};

const line = (msg: string, facts: object = {}): string =>
  JSON.stringify({ level: 'warn', time: '2026-11-22T10:00:00.000Z', msg, ...facts });

describe('the live state', () => {
  test('tells what changed since a number, each topic once with what it says now', () => {
    const { state, view, events } = begin();
    view.say(['base/a', '1'], ['base/b', '1']);
    const { rev } = state;
    view.say(['base/a', '2']);
    view.say(['base/a', '3'], ['base/b', null]);
    view.emit('answer', { status: 'applied', topic: 'base/a/set', at: 'now' });
    expect(state.since(rev)).toEqual({
      rev: rev + 4,
      changed: { 'base/a': '3', 'base/b': null },
      results: [{ status: 'applied', topic: 'base/a/set', at: 'now' }],
      log: [],
      taken: [],
    });
    state.took('a');
    state.took(undefined);
    expect([state.since(rev)?.taken, state.whole()]).toEqual([['a'], expect.objectContaining({ taken: ['a'] })]);
    expect(state.since(state.rev)).toMatchObject({ changed: {}, results: [] });
    expect(events.map(({ rev: number, kind }) => [number - rev, kind])).toEqual([
      [-1, 'topic'],
      [0, 'topic'],
      [1, 'topic'],
      [2, 'topic'],
      [3, 'topic'],
      [4, 'result'],
    ]);
  });

  test('knows when each topic changed, other than to what it said first', () => {
    let nowMs = 5000;
    const state = new LiveState(new LogRing(), () => nowMs);
    const view = new FakeView();
    view.say(['base/before', '1']);
    state.attach(view.asBridge);
    view.say(['base/before', '2'], ['base/new', '1']);
    nowMs = 9000;
    view.say(['base/new', '2'], ['base/gone', '1']);
    view.say(['base/gone', null]);
    expect(state.changes()).toEqual({ 'base/before': 5000, 'base/new': 9000 });
    state.attach(undefined);
    expect(state.changes()).toEqual({});
  });

  test('knows nothing of numbers of an earlier process, of another bridge, or of the future', () => {
    const { state, view } = begin();
    view.say(['base/a', '1']);
    const { rev } = state;
    expect([state.since(0), state.since(999), state.since(rev + 1), state.since(Number.NaN)]).toEqual(Array(4).fill(undefined));
    let resets = 0;
    state.on('reset', () => {
      resets += 1;
    });
    state.attach(undefined);
    // While it stops, what it said stays, and what it still says is heard.
    expect(state.whole()).toMatchObject({ base: 'base', topics: { 'base/a': '1' } });
    view.say(['base/a', '2']);
    expect(state.since(rev)).toMatchObject({ rev: rev + 1, changed: { 'base/a': '2' } });
    expect([state.view, resets]).toEqual([undefined, 0]);
    const next = new FakeView();
    state.attach(next.asBridge);
    view.say(['base/a', '3']);
    view.emit('answer', {});
    expect([resets, state.rev]).toEqual([1, rev + 2]);
    expect(state.whole()).toMatchObject({ topics: {} });
    expect(state.since(rev)).toBeUndefined();
    next.say(['base/a', '3']);
    expect(state.whole()).toMatchObject({ topics: { 'base/a': '3' } });
  });

  test('tells what a bridge answers while it stops', () => {
    const { state, view } = begin();
    const heard: object[] = [];
    state.on('event', (event) => heard.push(event));
    state.attach(undefined);
    view.emit('answer', { status: 'failed', code: 'stopping' });
    expect(heard).toEqual([{ kind: 'result', rev: state.rev, answer: { status: 'failed', code: 'stopping' } }]);
    expect(state.whole()).toMatchObject({ results: [{ code: 'stopping' }] });
  });

  test('keeps bounded numbers of changes, answers and lines', () => {
    const { ring, state, view } = begin();
    const { rev } = state;
    for (let i = 0; i < 10_000; i += 1) view.say([`base/${i}`, '1']);
    for (let i = 0; i < 1000; i += 1) view.emit('answer', { i });
    for (let i = 0; i < 1000; i += 1) ring.add(line(`line ${i}`));
    expect(state.since(rev)).toBeUndefined();
    const whole = state.whole();
    expect([whole.results.length, whole.log.length]).toEqual([100, 200]);
    expect(whole.log.at(-1)?.message).toBe('line 999');
  });

  test('whoever asks for what changed, however often, knows what the topics say', () => {
    const change = fc.tuple(fc.constantFrom('base/a', 'base/b', 'base/c', 'base/d'), fc.option(fc.string()));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.array(change, { minLength: 1 }), fc.boolean())), (story) => {
        const { state, view } = begin();
        const known = new Map<string, string>();
        let { rev } = state;
        const ask = (): void => {
          const { changed = {}, rev: now = rev } = state.since(rev) ?? {};
          for (const [topic, payload] of Object.entries(changed)) {
            if (payload === null) known.delete(topic);
            else known.set(topic, payload);
          }
          rev = now;
        };
        for (const [changes, asks] of story) {
          view.say(...changes);
          if (asks) ask();
        }
        ask();
        expect(known).toEqual(view.said);
      }),
      { numRuns: runs(1000) },
    );
  });

  test('has the lines of the log from before it was there', () => {
    const ring = new LogRing();
    ring.add(line('early'));
    expect(new LiveState(ring, () => 1).whole()).toMatchObject({
      log: [{ level: 'warn', message: 'early', at: '2026-11-22T10:00:00.000Z' }],
    });
    // Another page in its place has what came while there was none, the last 200 lines at most.
    ring.follow(undefined);
    for (let i = 0; i < 300; i += 1) ring.add(line(`line ${i}`));
    const { log } = new LiveState(ring, () => 1).whole();
    expect([log.length, log[0]?.message, log.at(-1)?.message]).toEqual([200, 'line 100', 'line 299']);
  });
});

test.each([
  [
    line('a sentence', { topic: 'a/b', calls: 3, list: ['x', 'y'] }),
    { level: 'warn', message: 'a sentence (topic: a/b, calls: 3, list: [x, y])' },
  ],
  ['no JSON\n', { level: 'info', message: 'no JSON' }],
  [line('x', { why: 'y'.repeat(5000) }), { message: `x (why: ${'y'.repeat(1992)}` }],
])('a line of the log', (text, expected) => expect(readLogLine(text)).toMatchObject(expected));
