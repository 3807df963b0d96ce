import { expect, test } from 'vitest';
import { nameBelow, partName } from '../../../src/homeassistant/names.ts';
import { measure } from '../../../src/homeassistant/units.ts';
import { slug } from '../../../src/homeassistant/words.ts';
import { LANGUAGES } from '../../../src/language/language.ts';
import { expectTable } from '../../support/golden.ts';

test('the name of a part', () =>
  expectTable('partNames', 7, (part: string) => LANGUAGES.map((language) => partName({ named: new Map(), language }, part))));

test('is the name that the user gave it', () => {
  const named = new Map([['heating.circuits.0', 'Upstairs']]);
  expect(partName({ named, language: 'de' }, 'heating.circuits.0')).toBe('Upstairs');
  expect(partName({ named, language: 'de' }, 'heating.circuits.1')).toBe('Heizkreis 2');
});

test('what a unit means to a hub is unit, class and statistics', () =>
  expectTable('units', 40, (...given: Parameters<typeof measure>) => {
    const { unit_of_measurement, device_class, state_class } = measure(...given);
    return [unit_of_measurement, device_class, state_class];
  }));

test('a name that begins with the title of its page is shown without it', () =>
  expectTable('namesBelow', 7, (title: string, name: string) => LANGUAGES.map((language) => nameBelow(title, name, language))));

test('a text as a part of an entity id', () => expectTable('slugs', 4, slug));
