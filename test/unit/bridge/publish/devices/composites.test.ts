import { expect, test } from 'vitest';
import { RetainedPublisher } from '../../../../../src/bridge/publish/broker/retainedPublisher.ts';
import { compositeTopicsOf } from '../../../../../src/bridge/publish/devices/composites.ts';
import { makeComposites } from '../../../../../src/bridge/state/composites.ts';
import { DeviceState } from '../../../../../src/bridge/state/deviceState.ts';
import { featureOf } from '../../../../support/devices/features.ts';
import { keyedStore } from '../../../../support/system/keptInMemory.ts';
import { memory } from '../../../../support/system/memoryTopics.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';

test('a composite whose features are no longer chosen is cleared by the next read, whatever that shows', () => {
  const device = { name: 'home', installation: '1', gateway: '1', device: '0', features: ['*'], exclude: [] };
  const publisher = new RetainedPublisher({ window: 1, publish: async () => undefined }, memory(), recordingLog([]));
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
