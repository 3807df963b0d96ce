import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Hass } from '../../../src/card/hass.ts';
import { answerOf, Writes } from '../../../src/card/writes.ts';
import { cardWords } from '../../../src/language/card/cardWords.ts';
import { expectTable } from '../../support/golden.ts';

const WORDS = cardWords('en');
const ENTITY = 'text.week';

const begin = (refuse: (call: number) => unknown = () => undefined) => {
  const calls: unknown[][] = [];
  const hass: Hass = {
    states: {},
    callService: async (...call) => {
      calls.push(call);
      const refusal = refuse(calls.length);
      if (refusal !== undefined) throw refusal;
    },
  };
  const seen: unknown[] = [];
  const writes: Writes = new Writes((entity) => seen.push([entity, writes.of(entity)?.answer]));
  const send = (week = {}) => writes.send(hass, WORDS, ENTITY, 'abc', week);
  return { writes, send, calls, seen, id: () => writes.of(ENTITY)?.id };
};

const LONG = { mon: Array.from({ length: 8 }, (_, position) => ({ start: '06:00', end: '08:00', mode: 'normal', position })) };

describe('a write', () => {
  it('goes by the service for texts, never retained, and ends with its answer alone', async () => {
    const { writes, send, calls, seen, id } = begin();
    await send({ mon: [] });
    const value = JSON.stringify({ value: { mon: [] }, id: id(), if_rev: 'abc' });
    expect(calls).toEqual([['text', 'set_value', { value }, { entity_id: ENTITY }, false]]);
    const another = { id: 'another', status: 'applied' };
    writes.take(ENTITY, [another], WORDS);
    writes.take(ENTITY, [another, { id: id(), status: 'accepted' }], WORDS);
    for (let twice = 0; twice < 2; twice += 1) writes.take(ENTITY, [{ id: id(), status: 'applied' }], WORDS);
    expect(seen).toEqual(['sending', 'sent', 'accepted', 'applied'].map((status) => [ENTITY, { status }]));
  });

  it('that is long goes in parts, which end where one is refused', async () => {
    const { send, calls, seen } = begin((call) => (call === 2 ? { code: 'unauthorized', message: 'Unauthorized' } : undefined));
    await send(LONG);
    expect(calls).toHaveLength(2);
    expect(seen.at(-1)).toEqual([ENTITY, { status: 'rejected', message: WORDS.notAllowed }]);
  });

  const refusedWith = (message: string) => ({ code: 'home_assistant_error', message });
  it.each<[unknown, string | undefined]>([
    [3, undefined],
    [refusedWith('Unauthorized'), WORDS.notAllowed],
    [refusedWith('MQTT is off'), WORDS.refusedHere('MQTT is off')],
    ['odd', WORDS.refusedHere('odd')],
  ])('that Home Assistant refuses with %j says so, or is unconfirmed: %s', async (refusal, message) => {
    const { send, seen } = begin(() => refusal);
    await send();
    expect(seen.at(-1)).toEqual([ENTITY, message === undefined ? { status: 'unconfirmed' } : { status: 'rejected', message }]);
  });

  it('that was replaced by another one gets no answer any more', async () => {
    const { writes, send, id } = begin();
    await send();
    const first = id();
    await send();
    writes.take(ENTITY, [{ id: first, status: 'rejected', code: 'conflict' }], WORDS);
    expect(writes.of(ENTITY)?.answer).toEqual({ status: 'sent' });
  });

  it('that is answered before its call returns keeps the answer', async () => {
    const { writes, calls, send, id } = begin();
    const sent = send();
    expect(calls).toHaveLength(1);
    writes.take(ENTITY, [{ id: id(), status: 'unchanged' }], WORDS);
    await sent;
    expect(writes.of(ENTITY)?.answer).toEqual({ status: 'unchanged' });
  });

  it('that is never answered is unconfirmed in the end', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { writes, send } = begin();
    await send();
    vi.advanceTimersByTime(14 * 60_000);
    expect(writes.of(ENTITY)?.answer).toEqual({ status: 'sent' });
    vi.advanceTimersByTime(60_000);
    expect(writes.of(ENTITY)?.answer).toEqual({ status: 'unconfirmed' });
  });
});

describe('an answer in the words of the editor', () => {
  it('is in the language of the card', () =>
    expectTable('cardAnswers', 6, (given: Parameters<typeof answerOf>[0]) => answerOf(given, cardWords('de'))));
});
