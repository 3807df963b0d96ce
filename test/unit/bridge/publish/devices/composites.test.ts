import { expect, test } from 'vitest';
import { retainedPublisher } from '../../../../../src/bridge/publish/broker/retainedPublisher.ts';
import { compositeTopicsOf } from '../../../../../src/bridge/publish/devices/composites.ts';
import { makeComposites } from '../../../../../src/bridge/state/composites.ts';
import { DeviceState } from '../../../../../src/bridge/state/deviceState.ts';
import { featureOf } from '../../../../support/devices/features.ts';
import { keyedStore } from '../../../../support/system/keptInMemory.ts';
import { memory } from '../../../../support/system/memoryTopics.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';

test('after a kill a composite follows its own reads, whatever others fail', () => {
  const device = { name: 'home', installation: '1', gateway: '1', device: '0', features: ['*'], exclude: [] };
  const kept = memory();
  const owner = 'composite 1/0 heating.circuits.0.climate';
  kept.write([{ kind: 'sending', topic: 'b/home/heating/circuits/0/climate/mode', owner }]);
  const publisher = retainedPublisher({ window: 1, publish: async () => undefined }, kept, recordingLog([]));
  const failing = new Set(['heating.burners.0', 'heating.gas.consumption']);
  const areComplete = (_: unknown, isNeeded: (feature: string) => boolean = () => true): boolean => ![...failing].some(isNeeded);
  const composites = compositeTopicsOf('b', makeComposites(keyedStore()), { areComplete }, publisher);
  const state = new DeviceState(device);
  const mode = 'heating.circuits.0.operating.modes.active';
  state.take(featureOf(mode, { value: { value: 'standby' } }), 1);
  const shown = () => publisher.topics.wanted.get('b/home/heating/circuits/0/climate/mode')?.payload;
  composites.show(state, [mode]);
  expect(shown()).toBeUndefined();
  // Its last own read is refused for good: nothing of it changes by that.
  failing.delete('heating.burners.0');
  composites.show(state, []);
  expect(shown()).toBe('off');
});

test('a composite whose features are no longer chosen is cleared by the next read, whatever that shows', () => {
  const device = { name: 'home', installation: '1', gateway: '1', device: '0', features: ['*'], exclude: [] };
  const publisher = retainedPublisher({ window: 1, publish: async () => undefined }, memory(), recordingLog([]));
  const composites = compositeTopicsOf('b', makeComposites(keyedStore()), { areComplete: () => true }, publisher);
  const state = new DeviceState(device);
  const shown = (): readonly string[] => publisher.topics.namesOf('composite', state.device);
  state.take(featureOf('heating.dhw.temperature.main', { value: { value: 50 } }), 1);
  composites.show(state, ['heating.dhw.temperature.main']);
  expect(shown()).toEqual(['heating.dhw.water_heater']);
  // What FeatureStore.add does where a list of devices changes the choice.
  state.features.clear();
  state.device = { ...device, exclude: ['heating.dhw.*'] };
  state.take(featureOf('heating.boiler', { value: { value: 1 } }), 2);
  composites.show(state, ['heating.boiler']);
  expect(shown()).toEqual([]);
});
