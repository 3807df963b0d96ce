import { describe, expect, test } from 'vitest';
import { checkArguments } from '../../../src/simulator/home/constraints.ts';
import { FeatureRecord } from '../../../src/simulator/home/record.ts';
import type { Json, JsonObject } from '../../../src/simulator/http/json.ts';

const RECORD = new FeatureRecord('a.b', {}, { gateway: 'g', device: '0', uriBase: '' }, '');

const passes = (type: string, constraints: JsonObject, value: Json): boolean =>
  checkArguments({ value }, { value: { type, required: true, constraints } }, RECORD).length === 0;

describe('one argument against its constraints', () => {
  test.each<[string, JsonObject, Json, boolean]>([
    ['number', { min: 1, max: 9, stepping: 2 }, 3, true],
    ['number', { min: 1, max: 9, stepping: 2 }, 4, false],
    ['number', { min: 1, max: 9, stepping: 2 }, 9, true],
    ['number', { min: 1, max: 9, stepping: 2 }, 11, false],
    ['number', { min: 0.2, max: 3.5, stepping: 0.1 }, 0.1 + 0.2, true],
    ['number', { min: -13, max: 40, stepping: 1 }, -13, true],
    ['number', { stepping: 0.5 }, 2.5, true],
    ['number', { stepping: 0.5 }, 2.25, false],
    ['number', { stepping: 0 }, 2.25, true],
    ['number', {}, '2', false],
    ['number', { enum: [0, 1] }, 1, true],
    ['number', { enum: [0, 1] }, 2, false],
    ['number', { enum: [] }, 2, true],
    ['number', { efficientLowerBorder: 10, efficientUpperBorder: 20 }, 30, true],
    ['string', { enum: ['a', 'b'] }, 'c', false],
    ['string', { minLength: 1, maxLength: 2 }, 'äö', true],
    ['string', { minLength: 1, maxLength: 2 }, '', false],
    ['string', { minLength: 1, maxLength: 2 }, 'abc', false],
    ['string', { maxLength: 1 }, '🔥', true],
    ['string', { regEx: '^[\\p{L}0-9]+( [\\p{L}0-9]+)*$' }, 'Große Küche 2', true],
    ['string', { regEx: '^[\\p{L}0-9]+( [\\p{L}0-9]+)*$' }, 'two  spaces', false],
    ['string', { regEx: '(' }, 'anything', true],
    ['string', {}, 1, false],
    ['boolean', {}, false, true],
    ['boolean', {}, 0, false],
    ['unheardOf', {}, { a: 1 }, true],
  ])('%s %o: %o is fine: %s', (type, constraints, value, fine) => {
    expect(passes(type, constraints, value)).toBe(fine);
  });
});

test.each<[JsonObject, string[]]>([
  [{ value: 1 }, []],
  [{ value: 1, more: 2 }, []],
  [{}, ['/value']],
  [{ more: 2 }, ['/value']],
  [{ value: 1, other: 2 }, ['/other']],
  [{ value: '1', more: '2', other: 2 }, ['/other', '/value', '/more']],
])('%o: all that is wrong at once, with its place', (args, paths) => {
  const params = { value: { type: 'number', required: true }, more: { type: 'number', required: false } };
  expect(checkArguments(args, params, RECORD).map(({ path }) => path)).toEqual(paths);
});
