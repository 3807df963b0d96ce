import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/features/feature.ts';
import { readArguments, readEnveloped, readText } from '../../../src/topics/commandPayload.ts';
import { anyText } from '../../support/anyText.ts';
import { expectTable } from '../../support/golden.ts';
import { commandOf } from '../../support/schedules/commands.ts';

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
      fc.property(anyText(), (text) => {
        expect(readText(Buffer.from(`.${text}`), 1e6)).toEqual({ ok: true, value: `.${text}` });
      }),
    );
  });
});

describe('an envelope', () => {
  const enveloped = (text: string): unknown => {
    const read = readEnveloped(text);
    return read.ok ? read.value : read.issues.map(({ path, rule, nearest = [] }) => [path, rule, ...nearest].join(' '));
  };

  test('is told from a value', () => expectTable('envelopes', 12, enveloped));

  test('is refused with its mistakes', () => expectTable('envelopesRefused', 10, enveloped));

  test('is never made of what has other keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (others, value) => {
        const sent = JSON.parse(JSON.stringify({ ...others, value, other: 1 }));
        expect(readEnveloped(JSON.stringify(sent))).toEqual({ ok: true, value: { envelope: {}, value: sent, at: '' } });
      }),
    );
  });
});

const command = (...params: readonly (readonly [name: string, type: string])[]): Command =>
  commandOf('setIt', Object.fromEntries(params.map(([name, type]) => [name, [type]])))[1];

describe('the parameters of a call', () => {
  test('are read by what the command takes, or refused', () =>
    expectTable('callArguments', 28, (_: string, params: readonly (readonly [string, string])[], text: string) => {
      const read = readArguments(command(...params), text);
      return read.ok ? read.value : read.issues.map(({ path, rule }) => `${path} ${rule}`);
    }));

  test('any text but an object reaches a text parameter', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }).filter((text) => !/^\s*[{"]/.test(text)),
        (text) => {
          expect(readArguments(command(['name', 'string']), text)).toMatchObject({ ok: true, value: { value: { name: text } } });
        },
      ),
    );
  });
});
