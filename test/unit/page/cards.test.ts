import { describe, expect, test } from 'vitest';
import { type Card, cardsOf } from '../../../src/page/model/cards.ts';
import { type Device, devicesOf, type Topics } from '../../../src/page/model/device.ts';
import { schedulesOf } from '../../../src/page/model/schedules.ts';
import { readCommandTopic } from '../../../src/topics/topicNames.ts';
import { allDevices, expectFound, fixtureDevice } from '../../support/devices/deviceFiles.ts';
import { retainedOf } from '../../support/page/retainedOf.ts';

const BASE = 'heating2mqtt';

const shown = (name: string, features: Parameters<typeof retainedOf>[1]): { topics: Topics; device: Device } => {
  const topics = retainedOf(name, features);
  const [device] = devicesOf(topics, BASE);
  if (!device) throw new Error(`${name}: no device`);
  return { topics, device };
};

const allCards = (): readonly Card[] =>
  allDevices().flatMap(({ name, features }) => {
    const { topics, device } = shown(name, features);
    return cardsOf(topics, BASE, device);
  });

/** Every command topic that a card can write. */
const commandTopics = ({ target, mode, switches, periods }: Card): readonly string[] => [
  ...(target ? [`${target.topic}/set`] : []),
  ...(mode ? [`${mode.topic}/set`] : []),
  ...switches.map(({ topic }) => `${topic}/set`),
  ...periods.map(({ topic }) => `${topic}/call/schedule`),
];

describe('the topics of a device', () => {
  test.each(allDevices())('$name: features come back as they were published', ({ name, features }) => {
    const { device } = shown(name, features);
    const published = features.filter(({ properties, commands }) => properties.size + commands.size > 0);
    expect([...device.features.keys()].sort()).toEqual(published.map((feature) => feature.name).sort());
    for (const { name: feature, properties, commands } of published) {
      const back = device.features.get(feature);
      // Without a value, and with a text that is empty, there is no topic.
      const values = [...properties].map(([property, { value }]) => [property, value === '' || value === null ? undefined : value]);
      expect([...(back?.properties ?? [])].map(([property, { value }]) => [property, value])).toEqual(values);
      expect(back?.commands).toEqual(commands);
    }
  });
});

describe('the cards of a device', () => {
  test.each(allDevices())(
    '$name: every control is within what its record allows, and writes to a topic of a feature',
    ({ name, features }) => {
      const { topics, device } = shown(name, features);
      for (const card of cardsOf(topics, BASE, device)) {
        const { target, mode } = card;
        if (target) {
          expect(target.min).toBeLessThan(target.max);
          expect(target.step).toBeGreaterThan(0);
        }
        if (mode?.value !== undefined && mode.choices.length > 0) expect(mode.choices).toContain(mode.value);
        for (const topic of commandTopics(card)) {
          const address = readCommandTopic(BASE, topic);
          expect(address, topic).toMatchObject({ kind: topic.endsWith('/set') ? 'set' : 'call', device: name });
        }
        expect(card.current === undefined || Number.isFinite(card.current)).toBe(true);
      }
    },
  );

  test('devices have cards, targets, modes, schedules and hot water once', () => {
    const all = allCards();
    expectFound(all.filter(({ target }) => target).length, 16);
    expectFound(all.filter(({ mode }) => mode).length, 15);
    expectFound(all.filter(({ schedule }) => schedule).length, 19);
    expectFound(all.filter(({ switches }) => switches.some(({ word }) => word === 'oneTimeCharge')).length, 5);
    expectFound(all.filter(({ periods }) => periods.length > 0).length, 5);
  });

  test('the boiler of the fixtures', () => {
    const { topics, device } = shown('home', fixtureDevice('boiler'));
    const cards = cardsOf(topics, BASE, device);
    const scopes = cards.map(({ kind, scope }) => `${kind} ${scope}`).sort();
    expect(scopes).toEqual(['circuit heating.circuits.0', 'home heating', 'water heating.dhw']);
    const circuit = cards.find(({ kind }) => kind === 'circuit');
    expect(circuit?.target).toMatchObject({ topic: 'heating2mqtt/home/heating/circuits/0/climate/target', value: 21 });
    expect(circuit?.mode).toEqual({
      topic: 'heating2mqtt/home/heating/circuits/0/operating/modes/active/value',
      value: 'dhwAndHeating',
      choices: ['standby', 'dhw', 'dhwAndHeating'],
    });
    expect(circuit?.switches.map(({ word }) => word).sort()).toEqual(['comfort', 'eco']);
    const water = cards.find(({ kind }) => kind === 'water');
    expect(water?.switches).toMatchObject([{ word: 'oneTimeCharge', isActive: false, canStart: true, isProgram: true }]);
  });

  test('what ends by itself is shown with its end at the card that it belongs to', () => {
    const features = fixtureDevice('boiler');
    const topics = retainedOf('home', features);
    const topic = 'heating2mqtt/home/heating/circuits/0/operating/programs/normal';
    topics.set(`${topic}/until`, '2026-11-22T18:00:00+01:00');
    const [device] = devicesOf(topics, BASE);
    const cards = device ? cardsOf(topics, BASE, device) : [];
    const until = '2026-11-22T18:00:00+01:00';
    expect(cards.flatMap(({ kind, temporaries }) => temporaries.map((one) => [kind, one]))).toEqual([
      ['circuit', { topic, device: 'home', feature: 'heating.circuits.0.operating.programs.normal', until }],
    ]);
  });

  test('broken payloads leave out what they spoil, and no more', () => {
    const topics = retainedOf('home', fixtureDevice('boiler'));
    const before = devicesOf(topics, BASE)[0];
    topics.set('heating2mqtt/home/heating/dhw/oneTimeCharge/record', '{"properties":7,"commands":[1],"isEnabled":"x"');
    topics.set('heating2mqtt/home/heating/circuits/0/operating/modes/active/record', '[]');
    topics.set('heating2mqtt/home/heating/circuits/0/heating/schedule/entries', '{"mon":[{"start":1}],"tue":"x"}');
    const [device] = devicesOf(topics, BASE);
    expect(before && cardsOf(topics, BASE, before).length).toBe(3);
    expect(device && cardsOf(topics, BASE, device).length).toBeGreaterThanOrEqual(2);
    expect(device && schedulesOf(topics, BASE, device).every(({ week }) => Array.isArray(week.mon))).toBe(true);
  });
});

test('a device without controls shows what it measures', () => {
  const values = allCards().filter(({ scope }) => scope === '');
  expectFound(values.length, 4);
  for (const { readings } of values) expect(readings.length).toBeGreaterThan(0);
});
