import { test } from 'vitest';
import { checkArguments } from '../../../src/simulator/home/constraints.ts';
import { FeatureRecord } from '../../../src/simulator/home/record.ts';
import type { Json, JsonObject } from '../../../src/simulator/http/json.ts';
import { expectTable } from '../../support/golden.ts';

const RECORD = new FeatureRecord('a.b', {}, { gateway: 'g', device: '0' }, '');

const passes = (type: string, constraints: JsonObject, value: Json): boolean =>
  checkArguments({ value }, { value: { type, required: true, constraints } }, RECORD).length === 0;

test('one argument against its constraints', () => expectTable('simulatorChecks', 26, passes));
