import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDeeperThan, parseJson } from '../../../src/shared/json.ts';
import { runs } from '../../support/chance.ts';
import { expectTable } from '../../support/golden.ts';

/** `rule path` of every issue. */
const refused = (text: string) => {
  const json = parseJson(text);
  return json.ok ? json.value : json.issues.map((issue) => `${issue.rule} ${issue.path}`);
};

describe('parseJson', () => {
  test('refuses what is no JSON with its place', () =>
    expectTable('jsonRefused', 19, (text: string) => {
      expect(() => JSON.parse(text)).toThrow();
      return refused(text);
    }));

  test('says in a sentence what would be right', () => {
    const json = parseJson('{"a":1,}');
    expect(json).toEqual({ ok: false, issues: [{ path: '1:8', rule: 'json', message: 'a key in double quotes is expected here' }] });
  });

  test('refuses every key that its object already has, with both places', () => {
    expect(parseJson('{"mon":[],\n "tue":[{"x":1,"\\u0078":2}],\n "mon":[]}')).toEqual({
      ok: false,
      issues: [
        { path: '/tue/0/x', rule: 'twice', message: 'x is given twice, at 2:10 and at 2:16; give it once', got: 'x' },
        { path: '/mon', rule: 'twice', message: 'mon is given twice, at 1:2 and at 3:2; give it once', got: 'mon' },
      ],
    });
  });

  test.each(['{"a":"x:y","a":1}', '{"a:":{":":1},"b":[{"c":[],"c":[]}]}', '[{"a":{}},{"a":1,"a":{"b":"\\""}}]', '{"":1,"b":2,"":"{"}'])(
    'finds the one that is given twice in %s',
    (text) => expect(parseJson(text)).toMatchObject({ ok: false, issues: [{ rule: 'twice' }] }),
  );

  test('finds the right pointer beside and behind other items', () => {
    expect(refused('[[],{"b":{},"c":[1,{"d":1}],"e/f":{"g":"g","g":1}}]')).toEqual(['twice /1/e~1f/g']);
    expect(refused('{"__proto__":1,"constructor":2,"__proto__":3}')).toEqual(['twice /__proto__']);
  });

  test('takes the same key in different objects, and texts that look like keys', () => {
    const text = '{"a":{"a":"a"},"b":["a","a"],"c":"a"}';
    expect(refused(text)).toEqual(JSON.parse(text));
  });

  test('keeps __proto__ as a key of its own', () => {
    const json = parseJson('{"__proto__":{"polluted":true}}');
    expect(json.ok && Object.keys(Object(json.value))).toEqual(['__proto__']);
  });

  test('takes a hundred levels and not one more', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJson(nested(100)).ok).toBe(true);
    expect(refused(nested(101))).toEqual(['json 1:101']);
  });

  test.each(['[', '{"a":', '[{"a":', ']', '{', '"', ',', '\\', '{"a":1,'])('survives 64 KiB of %j', (piece) => {
    expect(parseJson(piece.repeat(Math.floor(65_536 / piece.length))).ok).toBe(false);
  });

  test('takes what JSON.parse takes, and gives the same', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(parseJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  test('refuses what JSON.parse refuses, and never throws', () => {
    const mangled = fc.tuple(fc.json(), fc.nat(), fc.string()).map(([text, at, piece]) => {
      const cut = at % (text.length + 1);
      return text.slice(0, cut) + piece + text.slice(cut + piece.length);
    });
    fc.assert(
      fc.property(fc.oneof(fc.string(), mangled), (text) => {
        const json = parseJson(text);
        let strict = true;
        try {
          JSON.parse(text);
        } catch {
          strict = false;
        }
        if (!strict) expect(json.ok).toBe(false);
        if (!json.ok && strict) expect(json.issues.every((issue) => issue.rule === 'twice')).toBe(true);
        if (!json.ok && !strict) expect(json.issues).toHaveLength(1);
      }),
      { numRuns: runs(500) },
    );
  });
});

test.each([
  [1, 0, false],
  [[], 0, false],
  [[1], 0, true],
  [{ a: [1] }, 1, true],
  [{ a: [1], b: {} }, 2, false],
])('%j is nested more than %i deep: %s', (value, levels, deeper) => {
  expect(isDeeperThan(value, levels)).toBe(deeper);
});
