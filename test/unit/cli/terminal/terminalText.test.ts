import { describe, expect, it } from 'vitest';
import { cutTo, displayWidth, printable, wrapText } from '../../../../src/cli/terminal/terminalText.ts';

describe('text on a terminal', () => {
  it.each<[text: string, columns: number]>([
    ['', 0],
    ['normal', 6],
    ['Wärme', 5],
    ['Wa\u0308rme', 5],
    ['暖房', 4],
    ['한국', 4],
    ['🔥 on', 5],
    ['👨‍👩‍👧', 2],
    ['☀️', 2],
    ['ｗ', 2],
  ])('%j takes %i columns', (text, columns) => {
    expect(displayWidth(text)).toBe(columns);
  });

  it.each<[text: string, columns: number, cut: string]>([
    ['normal', 6, 'normal'],
    ['normally', 6, 'nor...'],
    ['暖房暖房', 7, '暖房...'],
    ['暖房暖房', 6, '暖...'],
    ['a bcdef', 5, 'a...'],
  ])('%j in %i columns is %j', (text, columns, cut) => {
    expect(cutTo(text, columns)).toBe(cut);
    expect(displayWidth(cut)).toBeLessThanOrEqual(columns);
  });

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
