import { expect, test } from 'vitest';
import { readSeasonSetting } from '../../../../src/schedule/seasons/seasonSetting.ts';

const SCHEDULE = { device: 'home', feature: 'heating.dhw.schedule', profiles: { summer: 'bright', winter: 'dark' } };

test.each([
  ['home heating.dhw.schedule: summer bright, winter dark, from 05-01 to 09-30', { by: 'dates', from: '05-01', to: '09-30' }],
  [' home heating.dhw.schedule : summer bright,winter dark,above 16.5 ', { by: 'outside', limitC: 16.5 }],
])('%s', (text, rule) => expect(readSeasonSetting(text)).toEqual({ ...SCHEDULE, rule }));

test.each([
  ['home: summer bright, winter dark, above 16', /^DEVICE FEATURE/],
  ['home heating.dhw.schedule: summer bright, winter dark', /^DEVICE FEATURE/],
  ['home heating.dhw.schedule: summer Bright, winter dark, above 16', /profile names after summer and winter/],
  ['home heating.dhw.schedule: summer bright, winter custom, above 16', /profile names after summer and winter/],
  ['home heating.dhw.schedule: summer bright, winter dark, from 02-30 to 09-30', /days of the year/],
])('refused: %s', (text, expected) => expect(readSeasonSetting(text)).toMatch(expected));
