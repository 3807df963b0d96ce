import { printWeek } from '../../schedule/text/weekText.ts';
import { DAY_MINUTES } from '../../schedule/time.ts';
import { type Mode, type Segment, segmentsOf, spanOf } from '../../schedule/transitions.ts';
import { DAYS, type Day, type Entry, type Week } from '../../schedule/week.ts';
import { printable } from '../../shared/log.ts';
import { COLUMNS, type Piece, wrapPieces, wrapText } from '../terminal/terminalText.ts';
import { type ModeStyles, modeStyles } from './modeStyles.ts';

/** A week to draw; `now` is the local time of the heating. */
export type Chart = {
  readonly week: Week;
  readonly defaultMode?: string | undefined;
  /** In the device's order. */
  readonly modes?: readonly string[] | undefined;
  readonly now?: { readonly day: Day /** Since midnight. */; readonly minute: number } | undefined;
};

const LEFT = '     ';
/** A column for each half hour, or for each hour on a narrow terminal. */
const [CELL_MINUTES, CELL] = COLUMNS < LEFT.length + 50 ? [60, 'hour'] : [30, 'half hour'];
const CELLS = DAY_MINUTES / CELL_MINUTES;
const THREE_HOURS = 180 / CELL_MINUTES;
const HOURS_LINE =
  LEFT +
  [0, 3, 6, 9, 12, 15, 18, 21, 24]
    .map((hour) => String(hour).padStart(2, '0').padEnd(THREE_HOURS))
    .join('')
    .trimEnd();
const MIXED = '/';

/** The mode of most of a column, and whether it also has another mode. */
type Cell = { readonly mode: Mode; readonly isMixed: boolean };

/**
 * The week as a bar chart of at most 80 columns: one column per half hour (or hour), hours above, a legend
 * below. Of overlapping entries the highest position is drawn. Columns with a mode change are marked; the
 * exact times follow below.
 */
export const drawWeek = ({ week, defaultMode, modes = [], now }: Chart, colour: boolean): readonly string[] => {
  const rows = DAYS.map((day) => ({ day, cells: cellsOf(segmentsOf(week[day], defaultMode)) }));
  const used = new Set(rows.flatMap(({ cells }) => cells.map(({ mode }) => mode)));
  const known = [...new Set([...modes, ...[...used].filter((mode) => mode !== undefined)])].filter((mode) => mode !== defaultMode);
  const styles = modeStyles(known, defaultMode, colour);
  const isMixed = rows.some(({ cells }) => cells.some((cell) => cell.isMixed));
  const overlapping = DAYS.filter((day) => overlaps(week[day]));
  const text = printWeek(week);
  const bars = rows.map(({ day, cells }) => {
    const bar = joined(cells.map(({ mode, isMixed }) => ({ mode, text: isMixed ? MIXED : styles.letter(mode) })));
    return `${now?.day === day ? '>' : ' '}${day} ${bar.map(({ mode, text }) => styles.paint(mode, text)).join('')}`;
  });
  const legend: readonly Sign[] = [
    ...known.map((mode): Sign => [styles.letter(mode), mode, mode]),
    ...(defaultMode === undefined ? [] : [[styles.letter(defaultMode), `${defaultMode} (otherwise)`, defaultMode] as const]),
    ...(isMixed ? [[MIXED, `changes within the ${CELL}`] as const] : []),
    ...(now ? [[styles.now, 'now'] as const] : []),
  ];
  return [
    ...(now ? [LEFT + ' '.repeat(Math.floor(now.minute / CELL_MINUTES)) + styles.now] : []),
    HOURS_LINE,
    ...bars,
    ...legendLines(legend, styles),
    ...(isMixed && text !== undefined ? wrapText(`exact times: ${printable(text)}`, LEFT) : []),
    ...(overlapping.length > 0 ? wrapText(`Entries overlap on ${overlapping.join(', ')}: the highest position is drawn.`, LEFT) : []),
  ];
};

/** A character of the chart, with the mode whose colour it has. */
type Sign = readonly [sign: string, meaning: string, mode?: string];

const legendLines = (signs: readonly Sign[], styles: ModeStyles): readonly string[] => {
  const items = signs.map(([sign, meaning, mode]): Piece => {
    const text = printable(meaning);
    return { text: `${sign} ${text}`, shown: `${styles.paint(mode, sign)} ${text}` };
  });
  return items.length > 0 ? wrapPieces(items, LEFT, '   ') : [];
};

const cellsOf = (segments: readonly Segment[]): readonly Cell[] => {
  const minutes = segments.flatMap(({ start, mode }, i) => Array<Mode>((segments[i + 1]?.start ?? DAY_MINUTES) - start).fill(mode));
  return Array.from({ length: CELLS }, (_, i) => {
    const inside = minutes.slice(i * CELL_MINUTES, (i + 1) * CELL_MINUTES);
    const [most, ...others] = [...Map.groupBy(inside, (mode) => mode)].toSorted(([, a], [, b]) => b.length - a.length);
    return { mode: most?.[0], isMixed: others.length > 0 };
  });
};

/** A part of a bar with one colour. */
type Run = { readonly mode: Mode; text: string };

const joined = (runs: readonly Run[]): readonly Run[] => {
  const all: Run[] = [];
  for (const run of runs) {
    const last = all.at(-1);
    if (last && last.mode === run.mode) last.text += run.text;
    else all.push({ ...run });
  }
  return all;
};

const overlaps = (entries: readonly Entry[]): boolean => {
  const spans = entries.flatMap(spanOf);
  return spans.some((a, i) => spans.slice(i + 1).some((b) => a.start < b.end && b.start < a.end));
};
