import { expect, test } from 'vitest';
import { fittingProfiles, type Profile, profileOf, readProfile, unfitIssues } from '../../../src/schedule/profile.ts';
import { type Week, weekOf } from '../../../src/schedule/week.ts';
import { entry } from './entries.ts';

const HEATING = { modes: ['normal', 'comfort'], defaultMode: 'reduced', resolution: 10 };
const EMPTY = weekOf(() => []);
const PROFILES: readonly Profile[] = [
  readProfile('wrong', 'daily 6:05-22 normal'),
  readProfile('guests', 'sat-sun 7-23 comfort'),
  readProfile('holiday', 'daily none'),
  readProfile('sleep', { sun: [{ start: '07:00', end: '23:00', mode: 'comfort', position: '0' }] }),
  readProfile('json', '{"mon":[{"start":"6:00","end":"7:00","mode":"normal"}]}'),
];

const REST = [entry('07:00-23:00 comfort', 3)];

test.each<[what: string, week: Week, name: string]>([
  ['all days', EMPTY, 'holiday'],
  ['some days, whatever the others and the positions are', { ...EMPTY, mon: REST, sat: REST, sun: REST }, 'guests'],
  ['the first that fits', { ...EMPTY, sat: REST, sun: REST }, 'guests'],
  ['a later one', { ...EMPTY, sun: REST }, 'sleep'],
  ['one that stands as JSON in a text', { ...EMPTY, mon: [entry('06:00-07:00 normal', 0)] }, 'json'],
  ['none', { ...EMPTY, mon: REST }, 'custom'],
  ['none, as the one that equals it breaks a rule', weekOf(() => [entry('06:05-22:00 normal', 0)]), 'custom'],
])('the profile of a week: %s', (_, week, name) => expect(profileOf(week, PROFILES, HEATING)).toBe(name));

test('only those that fit are offered', () => {
  expect(fittingProfiles(PROFILES, HEATING).map(({ name }) => name)).toEqual(['guests', 'holiday', 'sleep', 'json']);
  expect(fittingProfiles(PROFILES, { modes: ['on'] }).map(({ name }) => name)).toEqual(['holiday']);
});

test('what is wrong has its place in the settings', () => {
  const [wrong, , , sleep] = PROFILES;
  expect(wrong && unfitIssues(wrong, HEATING)).toMatchObject([{ rule: 'resolution', path: 'schedules.profiles.wrong 1:7' }]);
  expect(sleep && unfitIssues(sleep, { modes: ['on'] })).toMatchObject([{ rule: 'mode', path: 'schedules.profiles.sleep/sun/0/mode' }]);
});
