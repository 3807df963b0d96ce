import { describe, it } from 'vitest';
import { measure } from '../../../src/homeassistant/units.ts';
import { expectTable } from '../../support/golden.ts';

describe('what a unit means to a hub', () => {
  it('is unit, class and statistics', () =>
    expectTable('units', 37, (...given: Parameters<typeof measure>) => {
      const { unit_of_measurement, device_class, state_class } = measure(...given);
      return [unit_of_measurement, device_class, state_class];
    }));
});
