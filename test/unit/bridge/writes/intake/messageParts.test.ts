import fc from 'fast-check';
import { expect, test } from 'vitest';
import { messageParts, readPart, WAIT_MS } from '../../../../../src/bridge/writes/intake/messageParts.ts';
import { anyText } from '../../../../support/anyText.ts';
import { runs } from '../../../../support/chance.ts';
import { fakeClock } from '../../../../support/time/fakeClock.ts';

const TOPIC = 'b/home/heating/schedule/text/set';

const begin = () => {
  const clock = fakeClock();
  const parts = messageParts(clock, new AbortController().signal);
  const late: number[] = [];
  const all: string[] = [];
  /** Gives the texts that are whole by this. */
  const add = (text: string, topic = TOPIC): readonly string[] => {
    const part = readPart(text);
    if (!part) throw new Error(`no part: ${text}`);
    const before = all.length;
    parts.add(topic, part, () => ({ whole: (whole) => all.push(whole), incomplete: (came) => late.push(came) }));
    return all.slice(before);
  };
  return { add, clock, late, all };
};

test.each([
  'mon none',
  '{"value":1}',
  'part 1/2 a',
  'part 0/2 a: x',
  'part 3/2 a: x',
  'part 1/2 a b: x',
  'parting 1/2 a: x',
  `part 1/2 a: ${'x'.repeat(1001)}`,
])('%s is no part', (text) => expect(readPart(text)).toBeUndefined());

test('a text is whole with its last part, in whatever order the parts come, also where one comes twice or another text between', async () => {
  const order = fc.tuple(fc.array(anyText(), { minLength: 1, maxLength: 9 }), fc.infiniteStream(fc.nat())).map(([pieces, numbers]) => {
    const steps = pieces.flatMap((piece, index) => [{ piece, index }, ...(index % 3 === 0 ? [{ piece, index }] : [])]);
    return { pieces, steps: steps.map((step) => ({ step, at: numbers.next().value ?? 0 })).toSorted((a, b) => a.at - b.at) };
  });
  await fc.assert(
    fc.asyncProperty(order, async ({ pieces, steps }) => {
      const { add, clock, late } = begin();
      const whole = steps.flatMap(({ step: { piece, index } }) => {
        expect(add(`part ${index + 1}/${pieces.length + 1} other: ${piece}`)).toEqual([]);
        return add(`part ${index + 1}/${pieces.length} k-1: ${piece}`);
      });
      expect(whole).toEqual([pieces.join('')]);
      await clock.pass(WAIT_MS + 1);
      // The other text never got its last part.
      expect(late).toEqual([pieces.length]);
    }),
    { numRuns: runs(50) },
  );
});

test('a part that never comes is told once, and the text can be sent again', async () => {
  const { add, clock, late } = begin();
  expect(add('part 1/3 a: x')).toEqual([]);
  expect(add('part 3/3 a: z')).toEqual([]);
  await clock.pass(WAIT_MS - 1);
  expect(late).toEqual([]);
  await clock.pass(1);
  expect(late).toEqual([2]);
  expect([add('part 1/3 a: x'), add('part 2/3 a: y'), add('part 3/3 a: z')]).toEqual([[], [], ['xyz']]);
  await clock.pass(2 * WAIT_MS);
  expect(late).toEqual([2]);
});

test('begun texts without end do not fill the memory', async () => {
  const { add, clock, late } = begin();
  for (let number = 0; number < 200; number += 1) add(`part 1/2 k${number}: x`);
  expect(late).toHaveLength(150);
  // What follows of a text that made room has been answered.
  expect(add('part 2/2 k0: y')).toEqual([]);
  await clock.pass(WAIT_MS);
  expect(late).toHaveLength(200);
});

test('a text that made room for others is not mixed with the next one of its word', async () => {
  const { add, clock, all, late } = begin();
  add('part 1/3 k: a');
  for (let number = 0; number < 50; number += 1) add(`part 1/2 k${number}: x`);
  for (const part of ['2/3 k: a', '1/3 k: b', '3/3 k: a', '2/3 k: b', '3/3 k: b']) add(`part ${part}`);
  await clock.pass(2 * WAIT_MS);
  expect(all).toEqual([]);
  expect(late.filter((came) => came === 3)).toHaveLength(1);
});

// `2b`: the second piece, with the content b.
test.each([
  ['a second text with the same word, after the first', '1a 2b 1c 2d', { whole: ['ab', 'cd'], late: [] }],
  ['one that begins alike', '1a 2b 1a 2d', { whole: ['ab', 'ad'], late: [] }],
  ['one that ends alike', '1a 2b 1c 2b', { whole: ['ab', 'cb'], late: [] }],
  ['the same once more, as a broker delivers it again', '1a 2b 1a 2b', { whole: ['ab'], late: [] }],
  ['a copy of all of it, and then another', '1a 2b 1a 2b 1c 2d', { whole: ['ab', 'cd'], late: [] }],
  ['a copy of a piece, and then a text of which that piece is none', '1a 2b 2b 1c 2d', { whole: ['ab'], late: [2, 1] }],
  ['a second text before the first is whole', '1a 1c 2d', { whole: ['cd'], late: [1] }],
  ['pieces of two texts in turn are never joined', '1a 1c 2b 2d', { whole: [], late: [1, 2, 1] }],
  ['nor where the other one ends first', '1a 1c 2d 2b', { whole: [], late: [1, 2, 1] }],
])('%s', async (_, pieces, expected) => {
  const { add, clock, late, all } = begin();
  for (const piece of pieces.split(' ')) add(`part ${piece[0]}/2 k: ${piece.slice(1)}`);
  await clock.pass(2 * WAIT_MS);
  expect({ whole: all, late }).toEqual(expected);
});
