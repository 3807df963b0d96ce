import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bridgeTopic,
  type CommandAddress,
  commandFilters,
  commandTopic,
  decodeLevel,
  deviceTopic,
  encodeLevel,
  featurePath,
  featureTopic,
  filterOf,
  leafFilters,
  matchesTwoFilters,
  propertyTopic,
  RESERVED,
  readCommandTopic,
  readLeafTopic,
} from '../../../src/topics/topicNames.ts';
import { expectTable } from '../../support/golden.ts';

const BASE = 'heating2mqtt';
const HOME = `${BASE}/home`;

/** MQTT's own rule for a filter and a topic, written once more. */
const matches = (filter: string, topic: string): boolean => {
  const levels = topic.split('/');
  const parts = filter.split('/');
  return parts.length === levels.length && parts.every((part, i) => part === '+' || part === levels[i]);
};

describe('a level', () => {
  test('is a text as it can stand in a topic', () =>
    expectTable('levels', 10, (text: string) => {
      const level = encodeLevel(text);
      expect(decodeLevel(level)).toBe(text);
      return level;
    }));

  test.each(['%zz', '%', '%c3%9f', '%41', 'a b', 'ß', '%C3'])('%s is not one that is written', (level) => {
    expect(decodeLevel(level)).toBeUndefined();
  });

  test('comes back whatever the text, and holds nothing that a topic cannot', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const level = encodeLevel(text);
        expect(level).toMatch(/^[\w.%-]*$/);
        expect(decodeLevel(level)).toBe(text);
      }),
    );
  });

  test('of two texts differ', () => {
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => (encodeLevel(a) === encodeLevel(b)) === (a === b)));
  });
});

describe('a topic', () => {
  test.each([
    [bridgeTopic(BASE, 'state'), `${BASE}/bridge/state`],
    [bridgeTopic('a/b', 'state'), 'a/b/bridge/state'],
    [deviceTopic(BASE, 'Fußboden', 'info'), `${BASE}/Fu%C3%9Fboden/info`],
    [featurePath('heating.circuits.0.heating.schedule'), 'heating/circuits/0/heating/schedule'],
    [featurePath('a b.c/d'), 'a%20b/c%2Fd'],
    [featureTopic(BASE, 'home', 'heating.dhw', 'record'), `${HOME}/heating/dhw/record`],
    [propertyTopic(BASE, 'home', 'heating.dhw', 'a/b'), `${HOME}/heating/dhw/a%2Fb`],
  ])('%s', (topic, expected) => expect(topic).toBe(expected));
});

describe('a command topic', () => {
  test('names what is meant, or is none', () =>
    expectTable('commandTopics', 24, (topic: string) => readCommandTopic(BASE, topic) ?? 'none'));

  const level = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 });
  const name = level.filter((text) => text !== 'bridge');
  // A path that ends in `call` before a verb would be a call of a command of that name.
  const aPath = fc.array(level, { minLength: 1, maxLength: 12 }).filter((levels) => levels.at(-1) !== 'call');
  const address: fc.Arbitrary<CommandAddress> = fc.oneof(
    fc.record({
      kind: fc.constant('bridge' as const),
      what: fc.constantFrom('poll' as const, 'auth' as const, 'republish' as const, 'restart_gateway' as const),
    }),
    fc.record({ kind: fc.constant('events' as const), name: fc.oneof(fc.constant(''), level) }),
    fc.record({ kind: fc.constantFrom('set' as const, 'validate' as const), device: name, path: aPath }),
    fc.record({ kind: fc.constant('call' as const), device: name, path: aPath, command: level }),
  );
  const base = fc.constantFrom('heating2mqtt', 'a/b', 'h.1');

  test('gives back the address that it was written for', () => {
    fc.assert(
      fc.property(base, address, (b, a) => {
        expect(readCommandTopic(b, commandTopic(b, a))).toEqual(a);
      }),
    );
  });

  test('is heard by exactly one filter, which filterOf names', () => {
    fc.assert(
      fc.property(base, address, (b, a) => {
        const topic = commandTopic(b, a);
        fc.pre(!matchesTwoFilters(b, topic));
        expect(commandFilters(b).filter((filter) => matches(filter, topic))).toEqual([filterOf(b, topic)]);
      }),
    );
  });

  test('is heard twice where a command is called like a verb, or a calendar like `call`, and else not', () => {
    fc.assert(
      fc.property(base, address, fc.constantFrom('set', 'validate', 'call', 'x'), (b, a, word) => {
        const named = a.kind === 'call' ? { ...a, command: word } : a.kind === 'events' ? { ...a, name: word } : a;
        const topic = commandTopic(b, named);
        expect(matchesTwoFilters(b, topic)).toBe(commandFilters(b, 13).filter((filter) => matches(filter, topic)).length > 1);
      }),
    );
  });

  test.each(['b/home/set', 'b/home/validate', 'b/home/call/x'])('%s, for a device as a whole, is heard to be refused', (topic) => {
    expect(commandFilters('b').filter((filter) => matches(filter, topic))).toEqual([filterOf('b', topic)]);
    expect(readCommandTopic('b', topic)).toBeUndefined();
  });

  test.each(['b/set', 'b/call/x', 'b/home/x'])('%s is heard by none', (topic) => {
    expect(commandFilters('b').filter((filter) => matches(filter, topic))).toEqual([]);
    expect(filterOf('b', topic)).toBeUndefined();
  });

  test('of more levels is heard by one of the further filters', () => {
    const deep = Array.from({ length: 30 }, (_, i) => `l${i}`);
    for (const levels of [13, 20, 30]) {
      const topic = commandTopic('b', { kind: 'set', device: 'home', path: deep.slice(0, levels) });
      expect(commandFilters('b').filter((filter) => matches(filter, topic))).toEqual([]);
      expect(commandFilters('b', 30, 12).filter((filter) => matches(filter, topic))).toEqual([filterOf('b', topic)]);
      expect(commandFilters('b', 30, 12)).toHaveLength(18 * 3);
    }
  });

  test('is never a state topic, whatever a property is called that has one', () => {
    fc.assert(
      fc.property(base, name, aPath, level, (b, device, levels, property) => {
        fc.pre(!RESERVED.has(encodeLevel(property)) && levels.at(-1) !== 'call');
        const topic = propertyTopic(b, device, levels.map((one) => one.replaceAll('.', '-')).join('.'), property);
        expect(commandFilters(b).filter((filter) => matches(filter, topic))).toEqual([]);
      }),
    );
  });
});

describe('the topics of one leaf', () => {
  const level = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((text) => text.isWellFormed() && !text.includes('.'));

  test('give device and feature back', () => {
    fc.assert(
      fc.property(level, fc.array(level, { minLength: 1, maxLength: 12 }), (device, levels) => {
        const feature = levels.join('.');
        const topic = featureTopic('a/b', device, feature, 'entries');
        expect(readLeafTopic('a/b', topic, 'entries')).toEqual({ device, feature });
        expect(leafFilters('a/b', 'entries')).toContain(`a/b/+${'/+'.repeat(levels.length)}/entries`);
      }),
    );
  });

  test.each(['a/b/home/entries', 'a/b/home/x/record', 'a/c/home/x/entries', 'a/b/home/%zz/entries', 'a/b/home/x.y/entries', 'a/b/entries'])(
    '%s is none',
    (topic) => {
      expect(readLeafTopic('a/b', topic, 'entries')).toBeUndefined();
    },
  );
});
