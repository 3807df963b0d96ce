import { describe, expect, test } from 'vitest';
import { shortTopic, topicMistake } from '../../../src/shared/topicName.ts';

const levels = (count: number): string => Array(count).fill('a').join('/');

describe('a topic that', () => {
  test.each<[what: string, topic: string]>([
    ['is a plain one', 'heating2mqtt/home/heating/circuits/0/name'],
    ['has blanks, umlauts, emoji and what only looks empty', 'Küche links/😀/\u200b/%00'],
    ['has empty levels', '/a//b/'],
    ['has 200 levels', levels(200)],
    ['has 65,535 bytes', 'ä'.repeat(32_767).concat('a')],
    ['has a replacement character', 'a\ufffdb'],
  ])('%s can be published on', (_what, topic) => {
    expect(topicMistake(topic)).toBeUndefined();
  });

  test.each<[topic: string, why: string]>([
    ['', 'it is empty'],
    ['a/+', 'it has a wildcard (+ or #)'],
    ['a#', 'it has a wildcard (+ or #)'],
    [levels(201), 'it has 201 levels; at most 200 are allowed'],
    ['/'.repeat(200), 'it has 201 levels; at most 200 are allowed'],
    ['ä'.repeat(32_768), 'it has 65536 bytes; at most 65535 are allowed'],
    ...['\0', '\t', '\n', '\x7f', '\x85', '\ufdd0', '\uffff', '\u{1fffe}', '\ud800', '\udc00'].map(
      (character) => [`a${character}b`, 'it has a control character or an invalid code point'] as [string, string],
    ),
  ])('cannot is told why: %j', (topic, why) => {
    expect(topicMistake(topic)).toBe(why);
  });
});

test('a very long topic is shortened for the log', () => {
  expect(shortTopic('a'.repeat(200))).toHaveLength(200);
  expect(shortTopic('a'.repeat(70_000))).toBe(`${'a'.repeat(200)}…`);
});
