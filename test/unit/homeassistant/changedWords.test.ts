import { describe, expect, test } from 'vitest';
import { deviceDocuments } from '../../../src/homeassistant/document.ts';
import { followWords } from '../../../src/homeassistant/documents/changedWords.ts';
import { componentsOf, MIGRATE } from '../../../src/homeassistant/documents/publishedDocument.ts';
import type { Language } from '../../../src/language/language.ts';
import type { Message } from '../../../src/shared/message.ts';
import { fixtureDevice } from '../../support/devices/deviceFiles.ts';
import { lintDocument } from '../../support/devices/discoveryLint.ts';

const WHERE = { base: 'heating2mqtt', prefix: 'homeassistant', version: '1.0.0' };
const IDENTITY = { name: 'home', installation: '1', gateway: '7571381699990001', device: '0' };

const documentsIn = (language: Language): readonly Message[] =>
  deviceDocuments(WHERE, IDENTITY, fixtureDevice('boiler'), { language, profiles: [], isAllowed: () => true });

const shown = (documents: readonly Message[]): ReadonlyMap<string, string> =>
  new Map(documents.map(({ topic, payload }) => [topic, payload]));

type Sensor = Readonly<Record<string, unknown>>;

/** The entities of documents by unique id. */
const entitiesIn = (documents: readonly Message[]): ReadonlyMap<unknown, Sensor> =>
  new Map(documents.flatMap(({ payload }) => [...componentsOf(payload).values()].map((one) => [one['unique_id'], one] as const)));

describe('a change of the language', () => {
  const [english, german] = [documentsIn('en'), documentsIn('de')];
  const { steps, topics } = followWords([german], shown(english), german);
  const [first = [], last, ...others] = steps;

  test('ends with what is wanted', () => {
    expect(others).toEqual([]);
    expect(last).toEqual(german);
  });

  test('goes by options that have the former states and the new ones, and by nothing else', () => {
    const [before, between, after] = [english, first, german].map(entitiesIn);
    let enums = 0;
    for (const [id, sensor] of between ?? []) {
      const { options, ...rest } = sensor;
      const { options: wanted, ...restOfWanted } = after?.get(id) ?? {};
      expect(rest).toEqual(restOfWanted);
      if (sensor['device_class'] !== 'enum') continue;
      enums += 1;
      const former = before?.get(id)?.['options'];
      expect(options).toEqual([...new Set([...[wanted].flat(), ...[former].flat()])]);
    }
    expect(enums).toBeGreaterThan(2);
    for (const document of first) expect(lintDocument(document)).toEqual([]);
  });

  test('publishes the values of the sensors again that show them otherwise, and of no other entity', () => {
    const before = entitiesIn(english);
    const wanted = [...entitiesIn(german)].flatMap(([id, { value_template: template, state_topic: topic }]) =>
      before.get(id)?.['value_template'] === template ? [] : [topic],
    );
    expect([...topics].sort()).toEqual([...new Set(wanted)].sort());
    expect(topics.length).toBeGreaterThan(5);
    expect(topics.filter((topic) => !topic.startsWith('heating2mqtt/home/'))).toEqual([]);
  });

  test('leaves alone what stays, and what is new', () => {
    for (const before of [shown(german), new Map<string, string>()])
      expect(followWords([german], before, german)).toEqual({ steps: [german], topics: [], wider: [], presets: [] });
  });
});

test('a value for which its entity has got room is told after the last step: a word of its list, a number beyond its former limits', () => {
  const entity = { unique_id: 'x', state_topic: 't', value_template: '{{ value }}' };
  const documentOf = (more: object): Message => ({
    topic: 'homeassistant/device/heating2mqtt_7_0/config',
    payload: JSON.stringify({ components: { x: { ...entity, ...more } } }),
    retain: true,
  });
  const wider = (before: object, now: object) => followWords([[documentOf(now)]], shown([documentOf(before)]), [documentOf(now)]).wider;
  const [select, number] = [
    (...options: string[]) => ({ platform: 'select', options }),
    (max: number) => ({ platform: 'number', min: 0, max }),
  ];
  expect(wider(select('a'), select('b', 'a'))).toEqual(['t']);
  expect(wider(select('b', 'a'), select('a'))).toEqual([]);
  expect(wider(number(10), number(11))).toEqual(['t']);
  expect(wider(number(10), { ...number(10), min: -1 })).toEqual(['t']);
  expect(wider(number(10), { ...number(9), name: 'x' })).toEqual([]);
});

test('the presets of thermostats are told again after their document changed, and only then', () => {
  const [english, german] = [documentsIn('en'), documentsIn('de')];
  const presets = (before: readonly Message[], now: readonly Message[]) => followWords([now], shown(before), now).presets;
  expect(presets(english, german)).toEqual(['heating2mqtt/home/heating/circuits/0/climate/preset']);
  expect(presets(german, german)).toEqual([]);
  expect(presets([], german)).toEqual([]);
});

test('the preset of a thermostat is told again if its component or what all components share changed, or it was released', () => {
  const topic = 'homeassistant/device/heating2mqtt_7_0/config';
  const thermostat = { platform: 'climate', unique_id: 'x', name: 'a', preset_mode_state_topic: 't' };
  const documentOf = (x: object, other: string, origin = '1'): Message => ({
    topic,
    payload: JSON.stringify({ origin: { sw: origin }, components: { x, y: { platform: 'button', unique_id: 'y', name: other } } }),
    retain: true,
  });
  const [before, beside] = [documentOf(thermostat, 'a'), documentOf(thermostat, 'b')];
  const presets = (now: Message, ...steps: readonly Message[]) =>
    followWords([...steps.map((one) => [one]), [now]], shown([before]), [now]).presets;
  expect(presets(beside)).toEqual([]);
  expect(presets(documentOf({ ...thermostat, name: 'b' }, 'a'))).toEqual(['t']);
  expect(presets(documentOf(thermostat, 'a', '2'))).toEqual(['t']);
  expect(presets(beside, { topic, payload: MIGRATE, retain: true })).toEqual(['t']);
});

test('a list that has only got longer shows what it had as before, also by another template', () => {
  const documentOf = (template: string, ...options: string[]): Message => ({
    topic: 'homeassistant/device/heating2mqtt_7_0/config',
    payload: JSON.stringify({
      components: { x: { platform: 'select', unique_id: 'x', state_topic: 't', value_template: template, options } },
    }),
    retain: true,
  });
  const toldAgain = (...options: string[]) => {
    const now = [documentOf('now', ...options)];
    const { topics, wider } = followWords([now], shown([documentOf('before', 'a')]), now);
    return { topics, wider };
  };
  expect(toldAgain('a', 'b')).toEqual({ topics: [], wider: ['t'] });
  expect(toldAgain('b')).toEqual({ topics: ['t'], wider: [] });
});

test('the steps that a removal takes come first, with the former options too', () => {
  const [english, german] = [documentsIn('en'), documentsIn('de')];
  const { steps } = followWords([german, german], shown(english), german);
  expect(steps).toHaveLength(3);
  expect(steps[0]).toEqual(steps[1]);
  expect(steps[2]).toEqual(german);
});
