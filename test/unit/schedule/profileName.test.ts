import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isProfileName, profileNameOf } from '../../../src/schedule/profileName.ts';
import { expectTable } from '../../support/golden.ts';

test('a name is saved in a plain form', () => expectTable('profileNames', 12, profileNameOf));

test('what comes out is a name of a profile, and stays the same when it is typed again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (typed) => {
      const name = profileNameOf(typed);
      if (name === undefined) return;
      expect([isProfileName(name), profileNameOf(name)]).toEqual([true, name]);
    }),
  );
});
