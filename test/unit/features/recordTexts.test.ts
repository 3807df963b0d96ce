import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recordTexts } from '../../../src/features/recordTexts.ts';

const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { noNullPrototype: true }), {
  minLength: 1,
  maxLength: 8,
});
const indents = fc.constantFrom(0, 1, 4);
const bodies = fc
  .tuple(objects, indents, fc.boolean())
  .map(([list, indent, isBare]) => JSON.stringify(isBare ? list : { data: list }, null, indent));

/** The list of a body; undefined where it is no JSON. */
const parsed = (body: string): unknown => {
  try {
    const whole: unknown = JSON.parse(body);
    return Array.isArray(whole) ? whole : Object(whole).data;
  } catch {
    return undefined;
  }
};

const allParsed = (texts: readonly string[]): unknown => parsed(`[${texts}]`);

describe('the texts of the records of a list', () => {
  test('are what the list holds', () => {
    fc.assert(
      fc.property(bodies, (body) => {
        expect(allParsed(recordTexts(body, []) ?? [])).toEqual(parsed(body));
      }),
    );
  });

  test('are what the list holds, whatever another list held', () => {
    fc.assert(
      fc.property(bodies, objects, indents, fc.nat(), (body, others, indent, at) => {
        const own = recordTexts(body, []) ?? [];
        const before = [...own.slice(0, at % (own.length + 1)), ...others.map((other) => JSON.stringify(other, null, indent))];
        expect(recordTexts(body, before)).toEqual(own);
      }),
    );
  });

  test('of a damaged body are no JSON, or there are none', () => {
    fc.assert(
      fc.property(
        bodies,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.constantFrom('', '"', '{', '}', ']', ',', '\\', 'x'),
        (body, share, other) => {
          const at = Math.floor(share * body.length);
          const damaged = body.slice(0, at) + other + body.slice(at + 1);
          const texts = recordTexts(damaged, recordTexts(body, []) ?? []);
          if (texts) expect(allParsed(texts)).toEqual(parsed(damaged));
        },
      ),
      { numRuns: 500 },
    );
  });

  test.each([
    ['', 'nothing'],
    ['{"data":{"feature":"a"}}', 'one record'],
    ['{"data":[]}', 'an empty list'],
    ['{"data":[{"feature":"a"},1]}', 'a list with something else in it'],
    ['{"data":[{"feature":"a"}],"errorType":"X"}', 'a list with something beside it'],
    ['{"data":[{"feature":"a"}]', 'a list that is not closed'],
    ['\u00a0[{"feature":"a"}]', 'a blank that JSON does not know'],
    ['[{"feature":"a"},\u2003{"feature":"b"}]', 'one between records'],
    ['[{"feature":"a"}]\ufeff', 'one at the end'],
    ['[{"feature":"a"}]}', 'a list that is closed twice'],
    [`[${Array.from({ length: 5001 }, () => '{}')}]`, 'a list that is too long'],
  ])('%j has none: %s', (body) => expect(recordTexts(body, [])).toBeUndefined());

  test('that are the same as before are the ones of before', () => {
    const [first] = recordTexts('[{"feature":"a"},{"feature":"b"}]', []) ?? [];
    const again = recordTexts('[{"feature":"a"},{"feature":"c"}]', [first, '{"feature":"b"}']);
    expect(again).toEqual(['{"feature":"a"}', '{"feature":"c"}']);
  });
});
