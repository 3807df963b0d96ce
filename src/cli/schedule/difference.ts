import { printDays } from '../../schedule/text/dayWords.ts';
import { printDay } from '../../schedule/text/weekText.ts';
import { changedDays, type Entry, type Week } from '../../schedule/week.ts';
import { type Piece, paint, printable, type Style, wrapPieces } from '../terminalText.ts';

/** The days that change from one week to the other, as lines of at most 80 columns; days with the same change together. */
export const differenceLines = (before: Week, after: Week, colour: boolean): readonly string[] => {
  const groups = Map.groupBy(changedDays(before, after), (day) => JSON.stringify([textsOf(before[day]), textsOf(after[day])]));
  const lines = (mark: string, style: Style, entries: readonly Entry[]): readonly string[] => {
    const pieces = textsOf(entries).map((text): Piece => ({ text, shown: paint(style, text, colour) }));
    return wrapPieces(pieces, `  ${mark} `);
  };
  return [...groups.values()].flatMap((days) => [
    printDays(days),
    ...days.slice(0, 1).flatMap((day) => [...lines('-', 'red', before[day]), ...lines('+', 'green', after[day])]),
  ]);
};

/** The text of each entry, with a comma after all but the last; the raw times and modes where there is no text form. */
const textsOf = (entries: readonly Entry[]): readonly string[] => {
  const text = printDay(entries) ?? entries.map(({ start, end, mode }) => `${start}-${end} ${mode}`).join(', ');
  return printable(text).split(/(?<=,) /u);
};
