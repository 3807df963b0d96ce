import { expect, test } from 'vitest';
import type { KeyedStore } from '../../../../src/bridge/ports.ts';
import { compositeMemory } from '../../../../src/bridge/state/composites.ts';
import type { Features } from '../../../../src/features/composites/composite.ts';
import { compositesOf } from '../../../../src/features/composites/compositesOf.ts';
import { featureOf } from '../../../support/devices/features.ts';
import { keyedStore } from '../../../support/system/keptInMemory.ts';

const store = (kept?: unknown) => {
  const table = keyedStore(kept === undefined ? new Map() : new Map([[`d ${NAME}`, kept]]));
  const written: string[] = [];
  const write: KeyedStore['write'] = (key, value) => {
    written.push(key);
    return table.write(key, value);
  };
  return { written, read: table.read, write };
};

const NAME = 'heating.circuits.0.climate';
const OVERRIDE = 'heating.circuits.0.quickmodes.manualTillNextSchedule';
const shows = (mode: string, active: boolean): Features =>
  new Map(
    [
      featureOf('heating.circuits.0.operating.modes.active', { value: { value: mode } }),
      featureOf(OVERRIDE, { active: { value: active } }),
    ].map((one) => [one.name, one]),
  );
const note = (memory: ReturnType<typeof compositeMemory>, features: Features): void => {
  memory.note(
    'd',
    compositesOf(features, () => ({})),
    features,
  );
};

test('the last mode that meant auto is kept, and written only when it changes', () => {
  const disk = store();
  const memory = compositeMemory(disk);
  for (const mode of ['heating', 'heating', 'standby', 'dhwAndHeating', 'dhw', 'forcedNormal']) note(memory, shows(mode, false));
  expect(memory.recall('d', NAME)).toEqual({ auto: 'dhwAndHeating' });
  expect(memory.recall('other', NAME)).toEqual({});
  expect(disk.written).toHaveLength(2);
  expect(compositeMemory(disk).recall('d', NAME)).toEqual({ auto: 'dhwAndHeating' });
});

test('what was sent to an override is kept as long as that is in force', () => {
  const disk = store();
  const memory = compositeMemory(disk);
  memory.overridden('d', NAME, OVERRIDE, 22.5);
  note(memory, shows('heating', true));
  expect(compositeMemory(disk).recall('d', NAME)).toEqual({ auto: 'heating', override: { feature: OVERRIDE, temperature: 22.5 } });
  note(memory, shows('heating', false));
  expect(memory.recall('d', NAME)).toEqual({ auto: 'heating' });
});

test.each([undefined, 1, {}, [], { auto: 1, override: { feature: 'x' } }])('what makes no sense on disk is nothing: %j', (kept) =>
  expect(compositeMemory(store(kept)).recall('d', NAME)).toEqual({}),
);

test('what many composites teach is written once for each', () => {
  const disk = store();
  const memory = compositeMemory(disk);
  const features: Features = new Map(
    Array.from({ length: 50 }, (_, n) => {
      const feature = featureOf(`heating.circuits.${n}.operating.modes.active`, { value: { value: 'heating' } });
      return [feature.name, feature];
    }),
  );
  note(memory, features);
  expect(memory.recall('d', 'heating.circuits.49.climate')).toEqual({ auto: 'heating' });
  expect(new Set(disk.written).size).toBe(50);
  expect(disk.written).toHaveLength(50);
});
