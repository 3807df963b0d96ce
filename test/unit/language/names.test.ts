import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deviceDocuments } from '../../../src/homeassistant/document.ts';
import { LANGUAGES } from '../../../src/language/language.ts';
import { nameOf, PHRASES } from '../../../src/language/names/name.ts';
import { tokensWithoutGerman } from '../../../src/language/names/words.ts';
import { anyText } from '../../support/anyText.ts';
import { allDevices } from '../../support/devices/deviceFiles.ts';
import { expectTable } from '../../support/golden.ts';

const DEVICES = allDevices();

type Component = Readonly<Record<string, unknown>> & { readonly name: string };
type Page = { readonly device: string; readonly components: Readonly<Record<string, Component>> };

const made = new Map<string, readonly Page[]>();

/** The pages of a device, made once; every device is called `Vito`. */
const pagesOf = (index: number, language: 'en' | 'de', parts: boolean): readonly Page[] => {
  const key = `${index} ${language} ${parts}`;
  const known = made.get(key);
  if (known) return known;
  const { gateway = '', device = '', features = [] } = DEVICES[index] ?? {};
  const where = { base: 'heating2mqtt', prefix: 'homeassistant', version: '1' };
  const identity = { name: 'Vito', installation: '1', gateway, device };
  const offering = { language, parts, profiles: [], isAllowed: () => true };
  const pages = deviceDocuments(where, identity, features, offering).map(({ payload }) => {
    const document = JSON.parse(payload);
    return { device: document.device.name, components: document.components };
  });
  made.set(key, pages);
  return pages;
};

/** All four ways in which a device is shown. */
const waysOf = (index: number): readonly Page[] =>
  [false, true].flatMap((parts) => (['en', 'de'] as const).flatMap((language) => pagesOf(index, language, parts)));

describe('names for people', () => {
  const inBoth = (feature: string, property: string | null) =>
    LANGUAGES.map((language) => nameOf(feature, property ?? undefined, language));

  it('are those of the table', () => expectTable('names', 59, inBoth));

  it('of what no table has are split and read by their words', () => expectTable('namesByWords', 12, inBoth));

  it('has each row in both languages, with the same places to fill', () => {
    for (const [key, [en, de]] of PHRASES) {
      expect([key, en.trim() === '', /\s{2}|^\s|\s$/.test(en + de)]).toEqual([key, de.trim() === '', false]);
      expect([key, [...en.matchAll(/\{.\}/g)].length]).toEqual([key, [...de.matchAll(/\{.\}/g)].length]);
    }
  });

  it('is never empty, never has a control character, and ends', () => {
    const level = fc.oneof(anyText({ maxLength: 40 }), fc.constantFrom('heating', 'circuits', '0', 'sensors', '$&', '{*}', '{N}'));
    fc.assert(
      fc.property(fc.array(level), fc.option(anyText(), { nil: undefined }), (levels, property) => {
        for (const language of ['en', 'de'] as const) {
          const name = nameOf(levels.join('.'), property, language);
          expect(name.trim()).not.toBe('');
          expect(name).not.toMatch(/\p{Cc}/u);
          expect([...name].length).toBeLessThanOrEqual(125);
        }
      }),
    );
  });
});

describe('the names of every device', () => {
  it('have a German word for every level, property and command', () => {
    const names = DEVICES.flatMap(({ features }) => features).flatMap(({ name, properties, commands }) => [
      ...name.split('.'),
      ...properties.keys(),
      ...commands.keys(),
    ]);
    const missing = new Set(names.flatMap((level) => tokensWithoutGerman(level).map((token) => `${token} of ${level}`)));
    expect([...missing].sort()).toEqual([]);
  });

  it('find words that the German table lacks', () => {
    expect(tokensWithoutGerman('outsideFrobnicator')).toEqual(['Frobnicator']);
    expect(tokensWithoutGerman('mainECU')).toEqual([]);
  });

  const KEPT = ['platform', 'unique_id', 'default_entity_id', 'state_topic', 'command_topic'];
  const EACH = DEVICES.map(({ name }, index) => [name, index] as const);

  it.each(EACH)('say nothing twice, with the name of the device or part before them: %s', (_, index) => {
    const isTwice = (name: string): boolean => {
      // A heating rod is one thing.
      const words =
        name
          .toLowerCase()
          .replace('heating rod', 'rod')
          .match(/[\p{L}-]{4,}/gu) ?? [];
      return new Set(words).size < words.length;
    };
    for (const { device, components } of waysOf(index))
      expect(
        Object.values(components)
          .map(({ name }) => `${device} ${name}`)
          .filter(isTwice),
      ).toEqual([]);
  });

  it.each(EACH)('are not numbered because they would meet: %s', (_, index) => {
    const NUMBER = / (?:[2-9]|\d\d+)$/;
    for (const { components } of waysOf(index)) {
      // The user's own names of circuits and rooms may be numbers of each other: "Kids Room 2".
      const all = Object.values(components).filter(({ platform }) => platform !== 'climate');
      const names = new Set(all.map(({ name }) => name));
      expect(all.filter(({ name }) => NUMBER.test(name) && names.has(name.replace(NUMBER, '')))).toEqual([]);
    }
  });

  it.each(EACH)('change no key, id or topic with the language: %s', (_, index) => {
    const idsIn = (language: 'en' | 'de', parts: boolean): unknown =>
      pagesOf(index, language, parts).map(({ components }) =>
        Object.entries(components).map(([key, one]) => [key, ...KEPT.map((member) => one[member])]),
      );
    for (const parts of [false, true]) expect(idsIn('de', parts)).toEqual(idsIn('en', parts));
  });
});
