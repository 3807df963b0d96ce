import { expect, test } from 'vitest';
import { partName } from '../../../src/homeassistant/names.ts';
import { LANGUAGES } from '../../../src/language/language.ts';
import { expectTable } from '../../support/golden.ts';

test('the name of a part', () =>
  expectTable('partNames', 7, (part: string) => LANGUAGES.map((language) => partName({ named: new Map(), language }, part))));

test('is the name that the user gave it', () => {
  const named = new Map([['heating.circuits.0', 'Upstairs']]);
  expect(partName({ named, language: 'de' }, 'heating.circuits.0')).toBe('Upstairs');
  expect(partName({ named, language: 'de' }, 'heating.circuits.1')).toBe('Heizkreis 2');
});
