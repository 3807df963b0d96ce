import fc from 'fast-check';
import { it } from 'vitest';
import { parseInstallations } from '../../../src/features/equipment.ts';
import { deviceOfRecord } from '../../../src/features/parseFeature.ts';
import { expectTable } from '../../support/golden.ts';

it('reads the devices of installations', () =>
  expectTable('installations', 14, (_: string, pages: readonly unknown[]) => parseInstallations(pages)));

it('never throws', () => {
  fc.assert(fc.property(fc.array(fc.record({ data: fc.jsonValue() })), (pages) => void parseInstallations(pages)));
});

it('knows the device of a record', () => expectTable('deviceOfRecords', 6, deviceOfRecord));
