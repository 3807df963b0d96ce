import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Command, Parameter } from '../../../src/features/feature.ts';
import { readArguments, readEnveloped, readText } from '../../../src/topics/commandPayload.ts';
import { expectTable } from '../../support/golden.ts';

describe('the text of a payload', () => {
  test('is taken up to the limit, and not a byte more', () => {
    expect(readText(Buffer.from('äb'), 3)).toEqual({ ok: true, value: 'äb' });
    expect(readText(Buffer.from('äb'), 2)).toMatchObject({ ok: false, issues: [{ path: '', rule: 'size', got: 3, allowed: 2 }] });
  });

  test('loses a byte order mark', () => {
    expect(readText(Buffer.from('\uFEFF{}'), 100)).toEqual({ ok: true, value: '{}' });
  });

  test.each([
    [[0xff], '1:1'],
    [[0x61, 0xc3], '1:2'],
    [[0x61, 0x0a, 0x62, 0x80], '2:2'],
    [[0xc3, 0xa4, 0x0a, 0x0a, 0xed, 0xa0, 0x80], '3:1'],
  ])('that is not UTF-8 is refused with the place: %j', (bytes, path) => {
    expect(readText(Buffer.from(bytes), 100)).toMatchObject({ ok: false, issues: [{ path, rule: 'utf8' }] });
  });

  test('comes back whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(readText(Buffer.from(`.${text}`), 1e6)).toEqual({ ok: true, value: `.${text}` });
      }),
    );
  });
});

describe('an envelope', () => {
  const enveloped = (text: string): unknown => {
    const read = readEnveloped(text);
    return read.ok ? read.value : read.issues.map(({ path, rule }) => `${path} ${rule}`);
  };

  test('is told from a value', () => expectTable('envelopes', 12, enveloped));

  test('is refused with its mistakes', () => expectTable('envelopesRefused', 8, enveloped));

  test('is never made of what has other keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (others, value) => {
        const sent = JSON.parse(JSON.stringify({ ...others, value, other: 1 }));
        expect(readEnveloped(JSON.stringify(sent))).toEqual({ ok: true, value: { envelope: {}, value: sent, at: '' } });
      }),
    );
  });
});

const command = (...params: readonly (readonly [name: string, type: string])[]): Command => ({
  name: 'setIt',
  isExecutable: true,
  params: new Map(params.map(([name, type]): [string, Parameter] => [name, { type, required: true, constraints: {} }])),
});

const NONE = command();
const NUMBER = command(['t', 'number']);
const TEXT = command(['name', 'string']);
const WEEK = command(['newSchedule', 'Schedule']);
const TWO = command(['shift', 'number'], ['slope', 'number']);
const VALUE = command(['value', 'string']);

describe('the parameters of a call', () => {
  test.each<[what: string, command: Command, text: string, args: object, at?: string, bare?: boolean]>([
    ['none: a word', NONE, 'go', {}],
    ['none: an object', NONE, '{}', {}],
    ['none: a parameter that is too many', NONE, '{"a":1}', { a: 1 }],
    ['none: a number', NONE, '1', {}],
    ['one: an object', NUMBER, '{"t":5}', { t: 5 }],
    ['one: bare', NUMBER, '5', { t: 5 }, '', true],
    ['one: bare null', NUMBER, 'null', { t: null }, '', true],
    ['one: bare list', NUMBER, '[5]', { t: [5] }, '', true],
    ['one: bare in an envelope', NUMBER, '{"value":5}', { t: 5 }, '/value', true],
    ['one: an object in an envelope', NUMBER, '{"value":{"t":5}}', { t: 5 }, '/value'],
    ['a text: bare', TEXT, 'Living room', { name: 'Living room' }, '', true],
    ['a text: in quotes', TEXT, '"Living room"', { name: 'Living room' }, '', true],
    ['a text: a number', TEXT, '12', { name: '12' }, '', true],
    ['a text: true', TEXT, 'true', { name: 'true' }, '', true],
    ['a text: a number in an envelope stays one', TEXT, '{"value":12}', { name: 12 }, '/value', true],
    ['a text: with blanks around it', TEXT, ' a ', { name: ' a ' }, '', true],
    ['a parameter called value: bare', VALUE, 'ready', { value: 'ready' }, '', true],
    ['a parameter called value: an object is the envelope of the same', VALUE, '{"value":"ready"}', { value: 'ready' }, '/value', true],
    ['a week: in its parameter', WEEK, '{"newSchedule":{"mon":[]}}', { newSchedule: { mon: [] } }],
    ['a week: bare', WEEK, '{"mon":[]}', { newSchedule: { mon: [] } }, '', true],
    ['a week: with something beside it', WEEK, '{"newSchedule":{},"tue":[]}', { newSchedule: {}, tue: [] }],
    ['two: an object', TWO, '{"slope":1,"shift":2}', { slope: 1, shift: 2 }],
  ])('%s', (_, of, text, args, at = '', bare = false) => {
    expect(readArguments(of, text)).toMatchObject({ ok: true, value: { value: args, at, bare } });
  });

  test.each<[what: string, command: Command, text: string, issue: string]>([
    ['one: no JSON', NUMBER, 'warm', '1:1 json'],
    ['two: bare', TWO, '5', ' type'],
    ['two: bare in an envelope', TWO, '{"value":5}', '/value type'],
    ['two: no JSON', TWO, 'x', '1:1 json'],
    ['a text: an object that is cut', TEXT, '{"name":"a', '1:9 json'],
    ['a week: a word', WEEK, 'mon none', '1:1 json'],
  ])('%s is refused', (_, of, text, issue) => {
    const read = readArguments(of, text);
    expect(read.ok ? undefined : read.issues.map(({ path, rule }) => `${path} ${rule}`)).toEqual([issue]);
  });

  test('any text but an object reaches a text parameter', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }).filter((text) => !/^\s*[{"]/.test(text)),
        (text) => {
          expect(readArguments(TEXT, text)).toMatchObject({ ok: true, value: { value: { name: text } } });
        },
      ),
    );
  });
});
