import { styleText } from 'node:util';
import type { Io } from './io.ts';

/** Text for a terminal of fixed width: its width, its colours, and what of it may be shown. */

export type Style = Parameters<typeof styleText>[0];

/** True where colours are wanted (https://no-color.org). */
export const hasColour = ({ env, isTTY }: Pick<Io, 'env' | 'isTTY'>): boolean => isTTY && !env.NO_COLOR && env.TERM !== 'dumb';

export const paint = (style: Style, text: string, colour: boolean): string =>
  colour ? styleText(style, text, { validateStream: false }) : text;

export const COLUMNS = 80;

/** A value as `--json` prints it. */
export const jsonText = (value: unknown): string => JSON.stringify(value, undefined, 2);

/** Lines whose cells stand below each other, two blanks apart. */
export const inColumns = (rows: readonly (readonly string[])[]): readonly string[] => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map((row) => line(row).trimEnd());
};

// Letters without a width of their own, and those that take two columns (East Asian wide and full width, emoji).
const NO_WIDTH = /^(?:\p{Mn}|\p{Me}|[\u200b-\u200d])$/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\p{Emoji_Presentation}\u{20000}-\u{3fffd}]/u;

// Made at its first use: it takes 14 to 22 ms of CPU, which every start would pay.
let segmenter: Intl.Segmenter | undefined;

const graphemes = (text: string): readonly string[] => {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return [...segmenter.segment(text)].map(({ segment }) => segment);
};

const widthOf = (grapheme: string): number => {
  if (WIDE.test(grapheme) || grapheme.includes('\ufe0f')) return 2;
  return [...grapheme].every((character) => NO_WIDTH.test(character)) ? 0 : 1;
};

export const displayWidth = (text: string): number =>
  /^[\x20-\x7e]*$/u.test(text) ? text.length : graphemes(text).reduce((sum, grapheme) => sum + widthOf(grapheme), 0);

/** The text, or as much of it as fits into the columns, with `...` at its end. */
export const cutTo = (text: string, columns: number): string => {
  if (displayWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const grapheme of graphemes(text)) {
    width += widthOf(grapheme);
    if (width > columns - 3) break;
    kept += grapheme;
  }
  return `${kept.trimEnd()}...`;
};

/** A piece of a line: its text, and the text with colours where it has some. */
export type Piece = { readonly text: string; readonly shown?: string };

/** The pieces in lines of at most COLUMNS columns; the first line begins with `first`, the others with as many blanks. */
export const wrapPieces = (pieces: readonly Piece[], first = '', gap = ' '): readonly string[] => {
  const indent = ' '.repeat(displayWidth(first));
  const lines: string[] = [];
  let line = first;
  let width = indent.length;
  for (const { text, shown = text } of pieces) {
    const columns = displayWidth(text);
    if (width > indent.length && width + gap.length + columns > COLUMNS) {
      lines.push(line);
      line = indent;
      width = indent.length;
    }
    const space = width > indent.length ? gap : '';
    line += space + shown;
    width += space.length + columns;
  }
  return [...lines, line];
};

/** The same for the words of a text; a word that fits no line is cut. */
export const wrapText = (text: string, first = ''): readonly string[] => {
  const words = text.split(' ').map((word) => ({ text: cutTo(word, COLUMNS - displayWidth(first)) }));
  return wrapPieces(words, first);
};
