import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isProfileName, profileNameOf } from '../../../src/schedule/profileName.ts';

test.each([
  ['winter', 'winter'],
  [' Winter ', 'winter'],
  ['Früh im Frühling', 'frueh-im-fruehling'],
  ['Été à la maison', 'ete-a-la-maison'],
  ['at_home-2', 'at_home-2'],
  // A name that settings have already stays as it is.
  ['-a-', '-a-'],
  ['Büro: 08.00–17.00', 'buero-08-00-17-00'],
  ['a very long name of a profile that goes on', 'a-very-long-name-of-a-profile'],
  ['Custom', undefined],
  ['none', undefined],
  ['', undefined],
  ['冬', undefined],
])('%s is saved as %s', (typed, name) => expect(profileNameOf(typed)).toBe(name));

test('what comes out is a name of a profile, and stays the same when it is typed again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (typed) => {
      const name = profileNameOf(typed);
      if (name === undefined) return;
      expect([isProfileName(name), profileNameOf(name)]).toEqual([true, name]);
    }),
  );
});
