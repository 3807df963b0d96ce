import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitEnd } from '../../../../src/schedule/text/textEnd.ts';
import { lineColumns } from '../../../../src/shared/issue.ts';

describe('the end behind a text', () => {
  test.each<[text: string, split: object]>([
    ['mon-sun none until 2027-01-03 12:00', { text: 'mon-sun none', until: '2027-01-03 12:00', at: '1:20' }],
    ['mon 6-8 normal for 2h ', { text: 'mon 6-8 normal', for: '2h', at: '1:20' }],
    ['mon 6-8,9-10 for 1,5h', { text: 'mon 6-8,9-10', for: '1,5h', at: '1:18' }],
    ['mon 6-8 until,9-10 normal', { text: 'mon 6-8 until,9-10 normal' }],
    ['mon 6-8 FOR PT90M', { text: 'mon 6-8', for: 'PT90M', at: '1:13' }],
    ['mon 6-8 a, 9-10 b;\nsat none; until 18:00', { text: 'mon 6-8 a, 9-10 b;\nsat none', until: '18:00', at: '2:17' }],
    ['mon 6-8 normal', { text: 'mon 6-8 normal' }],
    ['mon 6-8 until', { text: 'mon 6-8 until' }],
    ['mon 6-8 until, 9-10 for; tue none', { text: 'mon 6-8 until, 9-10 for; tue none' }],
    ['mon 6-8 until  ', { text: 'mon 6-8 until  ' }],
    ['', { text: '' }],
  ])('%j', (text, split) => expect(splitEnd(text)).toEqual(split));

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
