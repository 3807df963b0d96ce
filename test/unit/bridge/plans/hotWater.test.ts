import { expect, test } from 'vitest';
import { hotWaterOf } from '../../../../src/bridge/plans/hotWater.ts';
import { DeviceState } from '../../../../src/bridge/state/deviceState.ts';
import type { Feature } from '../../../../src/features/feature.ts';
import { fixtureDevice } from '../../../support/devices/deviceFiles.ts';
import { featureOf } from '../../../support/devices/features.ts';

const listed = (feature: string, enabled: readonly string[]): Feature =>
  featureOf(feature, { enabled: { type: 'array', value: [...enabled] } });

/** As a Vitocal 333-G and a Vitocal 200-S list them. */
const NO_BURNER = [listed('heating.burners', []), { ...featureOf('heating.burners.0', {}), isEnabled: false }];

test.each([
  ['a heat pump', fixtureDevice('heatPump'), true],
  ['a heat pump that lists burners, none of them enabled', [...fixtureDevice('heatPump'), ...NO_BURNER], true],
  ['a heat pump with a burner', [...fixtureDevice('heatPump'), listed('heating.burners', ['0'])], false],
  ['a hybrid', fixtureDevice('hybrid'), false],
  ['a boiler', fixtureDevice('boiler'), false],
  [
    'a boiler that lists compressors, none of them enabled, and hides its burner',
    [...fixtureDevice('boiler').filter(({ name }) => !name.startsWith('heating.burners')), listed('heating.compressors', [])],
    false,
  ],
])('the hot water of %s', (_, features, isPlanned) => {
  const state = new DeviceState({ name: 'home', installation: '1', gateway: '2', device: '0', features: ['*'], exclude: [] });
  for (const feature of features) state.remember(feature);
  expect(hotWaterOf(state, { lasting: (_, feature) => feature }) !== undefined).toBe(isPlanned);
});
