import { expect, test } from 'vitest';
import { profilesOf } from '../../../src/page/model/profiles.ts';

const info = (profiles: unknown): string => JSON.stringify({ settings: { schedules: { profiles } } });

test('profiles are read as text, as JSON and as JSON in a text; what cannot be read is left out', () => {
  const entry = { start: '06:00', end: '22:00', mode: 'normal' };
  const found = profilesOf(
    info({ work: 'mon 6-22 normal', free: { sun: [] }, both: JSON.stringify({ sat: [entry] }), wrong: 'mon 25-26 normal' }),
  );
  expect(found).toEqual([
    { name: 'work', week: { mon: [{ ...entry, position: 0 }] } },
    { name: 'free', week: { sun: [] } },
    { name: 'both', week: { sat: [{ ...entry, position: 0 }] } },
  ]);
});

test('a position is a number also where the settings file has it as a text, as YAML is read', () => {
  const entry = { start: '06:00', end: '22:00', mode: 'normal' };
  expect(profilesOf(info({ late: { mon: [{ ...entry, position: '0' }] } }))).toEqual([
    { name: 'late', week: { mon: [{ ...entry, position: 0 }] } },
  ]);
});

test.each([undefined, '', '[]', '{}', '{"settings":{"schedules":{"profiles":[1]}}}'])('%s has none', (text) => {
  expect(profilesOf(text)).toEqual([]);
});
