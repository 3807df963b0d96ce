import { expect, test } from 'vitest';
import { scheduleTimer } from '../../../../../src/bridge/publish/devices/scheduleTimer.ts';
import { type Device, deviceKey } from '../../../../../src/bridge/state/deviceState.ts';
import { TIME_ZONE_FEATURE } from '../../../../../src/bridge/state/timeZones.ts';
import type { Feature } from '../../../../../src/features/feature.ts';
import { parseFeature } from '../../../../../src/features/parseFeature.ts';
import { storeOf } from '../../../../support/devices/featureStore.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';
import { fakeClock } from '../../../../support/time/fakeClock.ts';

const DEVICE: Device = { name: 'home', installation: '1', gateway: '2', device: '0', features: ['*'], exclude: [] };
const SCHEDULE = 'heating.circuits.0.heating.schedule';

const featureOf = (feature: string, properties: object): Feature => {
  const parsed = parseFeature({ feature, gatewayId: '2', deviceId: '0', isEnabled: true, isReady: true, properties, commands: {} });
  if (!parsed.ok) throw new Error('no feature');
  return parsed.value;
};

test('a zone that the platform no longer tells is given up at the next read, although that shows the same schedule', () => {
  const clock = fakeClock();
  const store = storeOf([DEVICE], clock);
  const state = store.states.get(deviceKey(DEVICE));
  if (!state) throw new Error('no state');
  const timer = scheduleTimer(store, { setting: 'auto', machine: 'UTC', installation: () => undefined }, clock, recordingLog([]));
  const shown: (string | undefined)[] = [];
  const show = (feature: Feature): void => {
    timer.moments(state, feature, 'entries');
    shown.push(timer.zone(DEVICE)?.name);
  };
  const mon = [{ start: '06:00', end: '08:00', mode: 'normal', position: 0 }];
  const schedule = featureOf(SCHEDULE, {
    active: { type: 'boolean', value: true },
    entries: { type: 'Schedule', value: { mon, tue: [], wed: [], thu: [], fri: [], sat: [], sun: [] } },
  });
  store.on('featuresRead', () => timer.check());
  store.on('transitionDue', () => show(schedule));
  timer.settle();
  const read = (features: readonly Feature[], startedAtMs: number): void => {
    const changed = features.filter((feature) => state.take(feature, startedAtMs));
    store.emit('featuresRead', { state, features, changed });
  };
  read([schedule, featureOf(TIME_ZONE_FEATURE, { value: { type: 'string', value: 'America/New_York' } })], 0);
  show(schedule);
  state.features.delete(TIME_ZONE_FEATURE);
  read([schedule], 1);
  expect(shown).toEqual(['America/New_York', 'UTC']);
});
