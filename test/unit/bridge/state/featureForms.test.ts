import { expect, test } from 'vitest';
import { DeviceState } from '../../../../src/bridge/state/deviceState.ts';
import { FeatureForms } from '../../../../src/bridge/state/featureForms.ts';
import type { Feature } from '../../../../src/features/feature.ts';
import { featureOf } from '../../../support/devices/features.ts';
import { commandOf } from '../../../support/schedules/commands.ts';

const NAME = 'heating.dhw.temperature.main';
const setTarget = commandOf('setTargetTemperature', { temperature: ['number', { min: 10, max: 60, stepping: 1 }] });
const hotWater = (value: number) => featureOf(NAME, { value: { value, unit: 'celsius' } }, { commands: new Map([setTarget]) });

const setUp = () => {
  const forms = new FeatureForms();
  const state = new DeviceState({ name: 'home', installation: '1', gateway: '7', device: '0', features: ['*'], exclude: [] });
  const beside = (feature: Feature) => forms.beside(state, feature);
  return { forms, state, beside };
};

test('a value beyond the limits widens the form, which is kept besides the record, over a restart too', () => {
  const { forms, state, beside } = setUp();
  expect(forms.learn(state, [hotWater(50)])).toEqual([{ feature: NAME, hasOtherCommands: false }]);
  expect(beside(hotWater(50))).toBeUndefined();
  expect(forms.learn(state, [hotWater(70)])).toEqual([{ feature: NAME, hasOtherCommands: true }]);
  const form = beside(hotWater(50));
  expect(form?.commands.get('setTargetTemperature')?.params.get('temperature')?.constraints.max).toBe(70);
  const later = setUp();
  later.forms.learn(later.state, [...(form ? [form] : []), hotWater(50)]);
  expect(later.beside(hotWater(50))).toEqual(form);
});

test('another value is no other form; a form that was forgotten begins anew', () => {
  const { forms, state } = setUp();
  forms.learn(state, [hotWater(50)]);
  expect(forms.learn(state, [hotWater(40)])).toEqual([]);
  forms.forget(state, [NAME]);
  expect([...forms.of(state)]).toEqual([]);
  expect(forms.learn(state, [hotWater(40)])).toHaveLength(1);
});

test('what looks the same is kept once, as the last record', () => {
  const { forms, state } = setUp();
  const outside = (value: number) => featureOf('heating.sensors.temperature.outside', { value: { value, unit: 'celsius' } });
  const last = outside(8);
  forms.learn(state, [outside(7)]);
  expect(forms.learn(state, [last])).toEqual([]);
  expect(forms.of(state).get(last.name)).toBe(last);
});
