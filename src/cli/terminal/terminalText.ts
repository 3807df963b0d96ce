import { styleText } from 'node:util';
import type { Io } from './io.ts';

export type Style = Parameters<typeof styleText>[0];

/** True if colours are wanted (https://no-color.org). */
export const hasColour = ({ env, isTTY }: Pick<Io, 'env' | 'isTTY'>): boolean => isTTY && !env.NO_COLOR && env.TERM !== 'dumb';

export const paint = (style: Style, text: string, colour: boolean): string =>
  colour ? styleText(style, text, { validateStream: false }) : text;

/** The line width: that of the terminal, at most 80 for readability. */
export const COLUMNS = Math.min(80, process.stdout.columns || 80);

/** A value as `--json` prints it. */
export const jsonText = (value: unknown): string => JSON.stringify(value, undefined, 2);

/** Aligned columns, two blanks apart. */
export const inColumns = (rows: readonly (readonly string[])[]): readonly string[] => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map((row) => line(row).trimEnd());
};

/** A piece of a line: its text, and the coloured text if there is one. */
export type Piece = { readonly text: string; readonly shown?: string };

/** Wraps pieces to COLUMNS; a longer piece stays whole. Line 1 begins with `first`, others with blanks. */
export const wrapPieces = (pieces: readonly Piece[], first = '', gap = ' '): readonly string[] => {
  const indent = ' '.repeat(first.length);
  const lines: string[] = [];
  let line = first;
  let width = indent.length;
  for (const { text, shown = text } of pieces) {
    if (width > indent.length && width + gap.length + text.length > COLUMNS) {
      lines.push(line);
      line = indent;
      width = indent.length;
    }
    const space = width > indent.length ? gap : '';
    line += space + shown;
    width += space.length + text.length;
  }
  return [...lines, line];
};

/** The same for the words of a text. */
export const wrapText = (text: string, first = ''): readonly string[] =>
  wrapPieces(
    text.split(' ').map((word) => ({ text: word })),
    first,
  );
