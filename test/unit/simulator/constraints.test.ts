import { describe, expect, test } from 'vitest';
import { checkArguments } from '../../../src/simulator/home/constraints.ts';
import { FeatureRecord } from '../../../src/simulator/home/record.ts';
import type { Json, JsonObject } from '../../../src/simulator/http/json.ts';
import { expectTable } from '../../support/golden.ts';

const RECORD = new FeatureRecord('a.b', {}, { gateway: 'g', device: '0', uriBase: '' }, '');

const passes = (type: string, constraints: JsonObject, value: Json): boolean =>
  checkArguments({ value }, { value: { type, required: true, constraints } }, RECORD).length === 0;

describe('one argument against its constraints', () => {
  test('passes or not', () => expectTable('simulatorChecks', 26, passes));
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
