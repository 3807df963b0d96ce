import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LargeText } from '../../../../../src/bridge/publish/broker/largeText.ts';

it('a text is the same before and after it is compressed, however large it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(5000), (part, times) => {
      const text = part.repeat(times);
      const kept = new LargeText(text);
      for (let round = 0; round < 2; round += 1) {
        expect(kept.text === text && kept.is(text)).toBe(true);
        expect(kept.is(`${text}.`)).toBe(false);
        kept.compress();
      }
    }),
    { numRuns: 30 },
  );
});
