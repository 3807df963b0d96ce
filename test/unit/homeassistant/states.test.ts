import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Feature } from '../../../src/features/feature.ts';
import { parseFeature } from '../../../src/features/parseFeature.ts';
import type { Offering } from '../../../src/homeassistant/entities/entity.ts';
import { choiceConfig, kindOfModes, knownTexts, scheduleModeConfig, textTemplate } from '../../../src/homeassistant/entities/stateWords.ts';
import { knownChoices } from '../../../src/homeassistant/entities/writings.ts';
import { shapeOf } from '../../../src/homeassistant/shape.ts';
import { CHOICE, TEXT, translated } from '../../../src/homeassistant/templates.ts';
import { LANGUAGES, type Language } from '../../../src/language/language.ts';
import { KNOWN_STATES, MODES_AND_PROGRAMS, shownStates } from '../../../src/language/names/states.ts';
import { readConstraints } from '../../../src/schedule/constraints.ts';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import { House } from '../../../src/simulator/home/house.ts';
import { live } from '../../../src/simulator/living/live.ts';
import { allDevices, expectFound } from '../../support/devices/deviceFiles.ts';
import { lintDocument } from '../../support/devices/discoveryLint.ts';
import { deviceDocument } from '../../support/devices/onePage.ts';
import { shownBy, wordOf } from '../../support/devices/shownStates.ts';
import { expectTable } from '../../support/golden.ts';

const WHERE = { base: 'heating2mqtt', prefix: 'homeassistant', version: '1.0.0' };
const DEVICES = allDevices();

type Component = Readonly<Record<string, unknown>> & { readonly options?: readonly string[]; readonly value_template?: string };

/** The components of a device's document. `readOnly`: no command is allowed, so that every list is one of a sensor. */
const componentsOf = (features: readonly Feature[], language: Language, readOnly: boolean): Readonly<Record<string, Component>> => {
  const offering: Offering = { language, profiles: [], isAllowed: () => !readOnly };
  const document = deviceDocument(WHERE, { name: 'home', installation: '1', gateway: 'g', device: '0' }, features, offering);
  expect(lintDocument(document)).toEqual([]);
  return JSON.parse(document.payload).components;
};

const overview = (mode: string | null): string => JSON.stringify({ active: true, now: mode, next: mode });

/** The platform's word for an option. */
const wordFor = (template: string, option: string): string =>
  [...template.matchAll(/'([^']*)': '/g)].map(([, word = '']) => word).find((word) => wordOf(template, word) === option) ?? option;

/** A component without what the language decides. */
const rest = ([key, component]: readonly [string, Component]): object => [
  key,
  Object.fromEntries(Object.entries(component).filter(([member]) => !/^(?:name|options|preset_modes)$|_template$/.test(member))),
];

const CASES = DEVICES.flatMap((device) => [false, true].map((readOnly) => ({ ...device, readOnly })));

test('every list of words of every device shows and takes each of its words as another option, in both languages', () => {
  let lists = 0;
  for (const { name, features, readOnly } of CASES) {
    const [english, german] = LANGUAGES.map((language) => Object.entries(componentsOf(features, language, readOnly)));
    // Names, options and templates apart, the documents are the same in both languages.
    expect(german?.map(rest), name).toEqual(english?.map(rest));
    for (const [key, one] of [...(english ?? []), ...(german ?? [])]) {
      const { options = one['preset_modes'] as readonly string[] | undefined } = one;
      const shows = String(one.value_template ?? one['preset_mode_value_template']);
      const sends = String(one['command_template'] ?? one['preset_mode_command_template']);
      if (options === undefined) continue;
      lists += 1;
      const words = options.map((option) => wordFor(shows, option));
      const isSchedule = String(one['state_topic']).endsWith('/overview');
      const given = isSchedule ? [...words.slice(0, -2).map(overview), '{"active":false}', overview(null)] : words;
      expect(
        given.map((word) => shownBy(shows, word)),
        key,
      ).toEqual(options);
      if (one['platform'] !== 'sensor')
        expect(
          options.map((option) => shownBy(sends, option)),
          key,
        ).toEqual(words);
      expect([shownBy(shows, ''), shownBy(shows, isSchedule ? overview('neverHeard') : 'neverHeard')]).toEqual(['None', 'neverHeard']);
      expect(options.filter((option) => /^[a-z]\w*[A-Z]|^None$/.test(option))).toEqual([]);
    }
  }
  expectFound(lists, 388);
});

/** The words of lists, and of texts that say a state: how many there are, and those that the catalogue does not have. */
const wordsIn = (features: readonly Feature[]): { readonly seen: ReadonlySet<string>; readonly missing: readonly string[] } => {
  const missing = new Set<string>();
  const seen = new Set<string>();
  for (const feature of features) {
    const note = (name: string, words: readonly string[]): void => {
      for (const word of words) {
        seen.add(word);
        if (!KNOWN_STATES.has(word)) missing.add(`${word} (${feature.name}/${name})`);
      }
    };
    for (const [name, property] of feature.properties) {
      const { value } = property;
      if (shapeOf(property) !== 'text') continue;
      note(name, knownChoices(feature, name));
      const known = knownTexts(feature.name, name);
      if (!known || typeof value !== 'string' || value === '') continue;
      note(name, [value]);
      if (!known.words.includes(value) && knownChoices(feature, name).length === 0)
        missing.add(`${value} in the row of ${feature.name}/${name}`);
    }
    for (const { params } of feature.commands.values())
      for (const [name, { type, constraints }] of params) {
        const { modes = [], defaultMode } = readConstraints(constraints);
        if (type === 'Schedule') note(name, [...modes, ...(defaultMode === undefined ? [] : [defaultMode])]);
      }
  }
  return { seen, missing: [...missing] };
};

test('every word of a list, and of a text that says a state, is in the catalogue', () => {
  const { seen, missing } = wordsIn(DEVICES.flatMap(({ features }) => features));
  expect(missing).toEqual([]);
  expectFound(seen.size, 63);
});

test('so is every word of the simulated home, which the demo shows', () => {
  const house = new House(defaultHome, 0, 0, live);
  const records = house.devices().flatMap((device) => house.records(device));
  const features = records.flatMap((record) => {
    const feature = parseFeature(record.show());
    return feature.ok ? [feature.value] : [];
  });
  expect(features).toHaveLength(records.length);
  const { seen, missing } = wordsIn(features);
  expect(missing).toEqual([]);
  expect(seen.size).toBeGreaterThan(30);
});

test('every word that a row of texts knows is in the catalogue', () => {
  const rows = [
    ['heating.circuits.0.operating.modes.active', 'value'],
    ['ventilation.operating.programs.active', 'value'],
    ...['status', 'phase', 'demand', 'reason', 'level', 'modifier'].map((property) => ['rooms.0', property]),
    ['rooms.0.operating.state', 'state'],
    ['ess.operationState', 'value'],
    ['water.valves.shutoff.position', 'value'],
  ] as const;
  for (const [feature = '', property = ''] of rows) {
    const { words = [], kind = 'state' } = knownTexts(feature, property) ?? {};
    expect(words.length, property).toBeGreaterThan(3);
    expect(words.filter((word) => !KNOWN_STATES.has(word))).toEqual([]);
    for (const language of LANGUAGES) expect(new Set(shownStates(words, kind, language).values()).size, property).toBe(words.length);
  }
  expect(MODES_AND_PROGRAMS.filter((word) => !KNOWN_STATES.has(word))).toEqual([]);
});

test('a text that says a state is shown in words', () =>
  expectTable('stateTexts', 17, (feature: string, property: string, word: string) =>
    LANGUAGES.map((language) => shownBy(textTemplate(feature, property, language), word)),
  ));

test('so are the modes of a schedule that lists none', () => {
  const inBoth = (overview: object) =>
    LANGUAGES.map((language) => shownBy(scheduleModeConfig('next', [], 'mode', language).value_template, JSON.stringify(overview)));
  expect(inBoth({ active: true, next: 'comfort' })).toEqual(['Comfort', 'Komfort']);
  expect(inBoth({ active: true, next: '5/25-cycles' })).toEqual(['5 of 30 minutes', '5 von 30 Minuten']);
  expect(inBoth({ active: true, next: 'neverHeard' })).toEqual(['neverHeard', 'neverHeard']);
  expect(inBoth({ active: true, next: null })).toEqual(['No change', 'Kein Wechsel']);
  expect(inBoth({ active: false })).toEqual(['Not followed', 'Gilt gerade nicht']);
  expect(inBoth({ active: true })).toEqual(['None', 'None']);
});

test('two words that are called the same stay apart, in their order', () => {
  expect([...shownStates(['on', 'balanced', 'off'], 'mode', 'de').values()]).toEqual(['Ein', 'Ein (balanced)', 'Aus']);
  expect([...shownStates(['Ein', 'on'], 'mode', 'de').values()]).toEqual(['Ein', 'Ein (on)']);
});

test('a fuel cell in standby is not off with frost protection', () =>
  expect(kindOfModes('heating.fuelCell.operating.modes.active')).toBe('state'));

test('no option is `none`, which Home Assistant reads as unknown', () => {
  const of = (kind: 'mode' | 'ventilation' | 'state') => [...shownStates(['none', 'None', 'off'], kind, 'de').values()];
  expect(of('state')).toEqual(['Nichts', 'Nichts (None)', 'Aus']);
  expect([of('mode'), of('ventilation')]).toEqual([of('state'), of('state')]);
});

const anyWord = fc.oneof(
  fc.constantFrom(...MODES_AND_PROGRAMS, 'Ein', 'Ein (on)', 'Aus', 'toString', '__proto__', "it's", 'a\\', '{{ x }}', '{% y %}', '"', '…'),
  fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }),
);

test('back and forth: any list of words has as many options, each from its own word', () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyWord, { minLength: 1, maxLength: 30 }), fc.constantFrom(...LANGUAGES), (words, language) => {
      for (const kind of ['mode', 'ventilation', 'state'] as const) {
        const { options, value_template: template } = choiceConfig(words, kind, language);
        expect(new Set(options).size).toBe(words.length);
        expect(words.map((word) => shownBy(template, word))).toEqual(options);
        const back = new Map(options.map((option, i) => [option, words[i]]));
        expect(words.map((word) => back.get(shownBy(template, word)))).toEqual(words);
      }
    }),
  );
});

test('no text can end a template or a text within it', () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyWord, { maxLength: 8 }), (words) => {
      const shown = new Map(words.map((word) => [word, `${word}'}}\n"\\`]));
      for (const template of [CHOICE, TEXT] as const) {
        const text = translated(template, shown);
        // Without its own frame nothing is left but letters, digits and harmless signs between plain quotes.
        const map = /^\{\{ (?:\{(.*)\}\.get\(value, value[^\n]*|value [^\n]*|\(value [^\n]*) \}\}$/u.exec(text)?.[1] ?? '';
        expect(map).toMatch(/^(?:'(?:[\p{L}\p{N} .,()/_-]|\\U[0-9a-f]{8})*': '(?:[\p{L}\p{N} .,()/_-]|\\U[0-9a-f]{8})*'(?:, )?)*$/u);
        expect(words.map((word) => shownBy(text, word))).toEqual([...shown.values()]);
      }
    }),
  );
});
