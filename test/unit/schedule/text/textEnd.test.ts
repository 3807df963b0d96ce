import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitEnd } from '../../../../src/schedule/text/textEnd.ts';
import { lineColumns } from '../../../../src/shared/issue.ts';
import { expectTable } from '../../../support/golden.ts';

describe('the end behind a text', () => {
  test('is told from it', () => expectTable('textEnds', 11, splitEnd));

  test('of noise is found in a moment', () => {
    for (const noise of ['until ', ' until', 'until,', ' ', 'for\t \n', '1,', ' until \u00a0']) splitEnd(noise.repeat(60_000));
    fc.assert(fc.property(fc.string(), (text) => text.startsWith(splitEnd(text).text)));
  });
});

test('a place is counted by lines and columns, whatever breaks the lines', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', '\n', '\r', '\r\n', 'ü')), (parts) => {
      const text = parts.join('');
      const placeOf = lineColumns(text);
      for (let offset = 0; offset <= text.length; offset += 1) {
        if (text.slice(offset - 1, offset + 1) === '\r\n') continue;
        const lines = text.slice(0, offset).split(/\r\n|\r|\n/u);
        expect(placeOf(offset)).toBe(`${lines.length}:${(lines.at(-1) ?? '').length + 1}`);
      }
    }),
  );
});
