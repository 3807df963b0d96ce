import { expect, test } from 'vitest';
import { readProfile } from '../../../../src/schedule/profile.ts';
import { readSeasonSetting, type SeasonSetting, weeksOf } from '../../../../src/schedule/seasons/seasonSetting.ts';

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

test.each([
  ['as written', 'sat,sun 7-20 on; mon none', 'mon none; sat-sun 07:00-20:00 on'],
  ['without its mode, which a schedule with one mode needs not', 'daily 07:00-20:00', 'mon-sun 07:00-20:00'],
  [
    'of JSON, by position',
    {
      mon: [
        { start: '08:00', end: '09:00', position: 1 },
        { start: '06:00', end: '07:00', position: 0 },
      ],
    },
    'mon 06:00-07:00, 08:00-09:00',
  ],
])('a week that a person approves is told %s', (_, written, text) => {
  const setting = readSeasonSetting('home heating.dhw.schedule: summer bright, winter dark, above 16') as SeasonSetting;
  const profiles = [readProfile('bright', written), readProfile('dark', 'daily none')];
  expect(weeksOf(setting, profiles)).toEqual({ summer: text, winter: 'mon-sun none' });
});
