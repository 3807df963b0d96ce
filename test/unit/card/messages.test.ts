import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newId } from '../../../src/api/write.ts';
import { messageParts, readPart } from '../../../src/bridge/writes/intake/messageParts.ts';
import { payloadOf, textsOf } from '../../../src/card/writes.ts';
import { runs } from '../../support/chance.ts';
import { fakeClock } from '../../support/time/fakeClock.ts';

test('a short payload is one text, as it is', () => {
  const payload = payloadOf('0123456789ab', '97d170e1', { mon: [] }, { for: '2h' });
  expect(JSON.parse(payload)).toEqual({ value: { mon: [] }, id: '0123456789ab', if_rev: '97d170e1', for: '2h' });
  expect(textsOf(payload, '0123456789ab')).toEqual([payload]);
});

test('every payload is put together again by the bridge, and no text is longer than Home Assistant takes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 0, maxLength: 12_000, size: 'max' }), (payload) => {
      const id = newId();
      const texts = textsOf(payload, id);
      // Home Assistant counts characters, not units of 16 bits.
      expect(Math.max(...texts.map((text) => [...text].length))).toBeLessThanOrEqual(255);
      if (texts.length === 1) {
        expect(texts).toEqual([payload]);
        return;
      }
      const parts = messageParts(fakeClock(), new AbortController().signal);
      const whole: string[] = [];
      for (const text of texts) {
        const part = readPart(text);
        if (!part) throw new Error(text);
        parts.add('t', part, () => ({ whole: (joined) => whole.push(joined), incomplete: () => undefined }));
      }
      expect(whole).toEqual([payload]);
    }),
    { numRuns: runs(200) },
  );
});

test('no two writes have the same id', () => {
  const ids = Array.from({ length: 1000 }, newId);
  expect(new Set(ids).size).toBe(1000);
  expect(ids.every((id) => /^[0-9a-f]{12}$/.test(id))).toBe(true);
});
