import { describe, expect, it } from 'vitest';
import { cutTo, displayWidth, wrapText } from '../../../../src/cli/terminal/terminalText.ts';
import { printable } from '../../../../src/shared/log.ts';
import { expectTable } from '../../../support/golden.ts';

describe('text on a terminal', () => {
  it('takes so many columns', () => expectTable('widths', 10, displayWidth));

  it('is cut to the columns there are', () =>
    expectTable('textsCut', 5, (text: string, columns: number) => {
      const cut = cutTo(text, columns);
      expect(displayWidth(cut)).toBeLessThanOrEqual(columns);
      return cut;
    }));

  it('shows nothing that steers a terminal', () => {
    expect(printable('a\u001b[2J\u0007\nb\u202ec\u2028d')).toBe('a�[2J��b�c�d');
    expect(printable('Wärme 暖房 👨‍👩‍👧')).toBe('Wärme 暖房 👨‍👩‍👧');
  });

  it('wraps at 80 columns behind an indent, and cuts a word that fits no line', () => {
    const lines = wrapText(`${'word '.repeat(30)}${'x'.repeat(200)}`, '  - ');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines[0]?.slice(0, 9)).toBe('  - word ');
    expect(lines[1]?.slice(0, 9)).toBe('    word ');
    expect(lines.at(-1)).toBe(`    ${'x'.repeat(73)}...`);
    expect(wrapText('', 'a ')).toEqual(['a ']);
  });
});
