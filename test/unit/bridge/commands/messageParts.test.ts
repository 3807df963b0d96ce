import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MessageParts, readPart, WAIT_MS } from '../../../../src/bridge/commands/messageParts.ts';
import { runs } from '../../../support/chance.ts';
import { fakeClock } from '../../../support/time/fakeClock.ts';

const TOPIC = 'b/home/heating/schedule/text/set';

const begin = () => {
  const clock = fakeClock();
  const parts = new MessageParts(clock, new AbortController().signal);
  const late: number[] = [];
  const add = (text: string, topic = TOPIC): string | undefined => {
    const part = readPart(text);
    if (!part) throw new Error(`no part: ${text}`);
    return parts.add(topic, part, (came) => late.push(came));
  };
  return { add, clock, late };
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
  const order = fc
    .tuple(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 9 }), fc.infiniteStream(fc.nat()))
    .map(([pieces, numbers]) => {
      const steps = pieces.flatMap((piece, index) => [{ piece, index }, ...(index % 3 === 0 ? [{ piece, index }] : [])]);
      return { pieces, steps: steps.map((step) => ({ step, at: numbers.next().value ?? 0 })).toSorted((a, b) => a.at - b.at) };
    });
  await fc.assert(
    fc.asyncProperty(order, async ({ pieces, steps }) => {
      const { add, clock, late } = begin();
      const whole = steps.flatMap(({ step: { piece, index } }) => {
        expect(add(`part ${index + 1}/${pieces.length + 1} other: ${piece}`)).toBeUndefined();
        return add(`part ${index + 1}/${pieces.length} k-1: ${piece}`) ?? [];
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
  expect(add('part 1/3 a: x')).toBeUndefined();
  expect(add('part 3/3 a: z')).toBeUndefined();
  await clock.pass(WAIT_MS - 1);
  expect(late).toEqual([]);
  await clock.pass(1);
  expect(late).toEqual([2]);
  expect([add('part 1/3 a: x'), add('part 2/3 a: y'), add('part 3/3 a: z')]).toEqual([undefined, undefined, 'xyz']);
  await clock.pass(2 * WAIT_MS);
  expect(late).toEqual([2]);
});

test('begun texts without end do not fill the memory', async () => {
  const { add, clock, late } = begin();
  for (let number = 0; number < 200; number += 1) add(`part 1/2 k${number}: x`);
  expect(late).toHaveLength(150);
  await clock.pass(WAIT_MS);
  expect(late).toHaveLength(200);
});
