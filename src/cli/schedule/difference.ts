import { styleText } from 'node:util';
import { printDays } from '../../schedule/text/dayWords.ts';
import { printDay } from '../../schedule/text/weekText.ts';
import { changedDays, type Day, type Entry, type Week } from '../../schedule/week.ts';
import { type Piece, printable, wrapPieces } from '../terminalText.ts';

type Mark = '-' | '+';
const COLOURS = { '-': 'red', '+': 'green' } as const;

/** What changes from one week to the other, day by day, days that change alike together; lines of at most 80 columns, none where nothing changes. */
export const differenceLines = (before: Week, after: Week, colour: boolean): readonly string[] => {
  const groups = new Map<string, { readonly days: Day[]; readonly before: readonly Entry[]; readonly after: readonly Entry[] }>();
  for (const day of changedDays(before, after)) {
    const key = JSON.stringify([say(before[day]), say(after[day])]);
    const group = groups.get(key) ?? { days: [], before: before[day], after: after[day] };
    group.days.push(day);
    groups.set(key, group);
  }
  return [...groups.values()].flatMap((group) => [
    printDays(group.days),
    ...lines('-', group.before, colour),
    ...lines('+', group.after, colour),
  ]);
};

const lines = (mark: Mark, entries: readonly Entry[], colour: boolean): readonly string[] => {
  const pieces = say(entries).map((text): Piece => ({ text, shown: paint(mark, text, colour) }));
  return wrapPieces(pieces, `  ${mark} `);
};

const paint = (mark: Mark, text: string, colour: boolean): string =>
  colour ? styleText(COLOURS[mark], text, { validateStream: false }) : text;

/** The entries as text, one piece each; as they are where they have no text form. */
const say = (entries: readonly Entry[]): readonly string[] => {
  const text = printDay(entries) ?? entries.map(({ start, end, mode }) => `${start}-${end} ${mode}`).join(', ');
  return printable(text)
    .split(', ')
    .map((one, i, all) => (i < all.length - 1 ? `${one},` : one));
};
