import { expect, test } from 'vitest';
import type { KeyedStore } from '../../../../src/bridge/ports.ts';
import { makeComposites } from '../../../../src/bridge/state/composites.ts';
import { DeviceState } from '../../../../src/bridge/state/deviceState.ts';
import type { Feature } from '../../../../src/features/feature.ts';
import { featureOf } from '../../../support/devices/features.ts';
import { keyedStore } from '../../../support/system/keptInMemory.ts';

const store = (kept?: unknown) => {
  const table = keyedStore(kept === undefined ? new Map() : new Map([[`${KEY} ${NAME}`, kept]]));
  const written: string[] = [];
  const write: KeyedStore['write'] = (key, value) => {
    written.push(key);
    return table.write(key, value);
  };
  return { written, read: table.read, write };
};

const NAME = 'heating.circuits.0.climate';
const OVERRIDE = 'heating.circuits.0.quickmodes.manualTillNextSchedule';
const HOME = { name: 'home', installation: '1', gateway: 'g', device: '0', features: ['*'], exclude: [] };
const KEY = 'g/0';
const shows = (mode: string, active: boolean): readonly Feature[] => [
  featureOf('heating.circuits.0.operating.modes.active', { value: { value: mode } }),
  featureOf(OVERRIDE, { active: { value: active } }),
];
const learn = (composites: ReturnType<typeof makeComposites>, features: readonly Feature[]): void => {
  const state = new DeviceState(HOME);
  for (const feature of features) state.remember(feature);
  composites.learn(
    state,
    features.map(({ name }) => name),
  );
};

test('the last mode that meant auto is kept, and written only when it changes', () => {
  const disk = store();
  const composites = makeComposites(disk);
  learn(composites, shows('standby', false));
  expect(disk.written).toEqual([]);
  for (const mode of ['heating', 'heating', 'standby', 'dhwAndHeating', 'dhw', 'forcedNormal']) learn(composites, shows(mode, false));
  expect(composites.recall(KEY, NAME)).toEqual({ auto: 'dhwAndHeating' });
  expect(composites.recall('other', NAME)).toEqual({});
  expect(disk.written).toHaveLength(2);
  expect(makeComposites(disk).recall(KEY, NAME)).toEqual({ auto: 'dhwAndHeating' });
});

test('what was sent to an override is kept as long as that is in force', () => {
  const disk = store();
  const composites = makeComposites(disk);
  composites.accepted({
    state: new DeviceState(HOME),
    shares: [{ write: { feature: 'heating.curve' } }, { write: { feature: OVERRIDE, setpoint: { composite: NAME, celsius: 22.5 } } }],
  });
  learn(composites, shows('heating', true));
  expect(makeComposites(disk).recall(KEY, NAME)).toEqual({ auto: 'heating', override: { feature: OVERRIDE, temperature: 22.5 } });
  // It is not known to have ended while a list leaves it out.
  learn(composites, [...shows('heating', true).slice(0, 1), featureOf('heating.curve', {})]);
  expect(composites.recall(KEY, NAME)).toHaveProperty('override');
  learn(composites, [...shows('heating', false), featureOf('heating.curve', {})]);
  expect(composites.recall(KEY, NAME)).toEqual({ auto: 'heating' });
});

test.each([undefined, 1, {}, [], { auto: 1, override: { feature: 'x' } }])('what makes no sense on disk is nothing: %j', (kept) =>
  expect(makeComposites(store(kept)).recall(KEY, NAME)).toEqual({}),
);

test('what many composites teach is written once for each', () => {
  const disk = store();
  const composites = makeComposites(disk);
  const features = Array.from({ length: 50 }, (_, n) =>
    featureOf(`heating.circuits.${n}.operating.modes.active`, { value: { value: 'heating' } }),
  );
  learn(composites, features);
  expect(composites.recall(KEY, 'heating.circuits.49.climate')).toEqual({ auto: 'heating' });
  expect(new Set(disk.written).size).toBe(50);
  expect(disk.written).toHaveLength(50);
});
