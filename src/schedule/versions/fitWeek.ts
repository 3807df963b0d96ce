import type { Issue } from '../../shared/issue.ts';
import type { Constraints } from '../constraints.ts';
import { readJsonDay } from '../jsonWeek.ts';
import { DAY_MINUTES, printTime, readTime } from '../time.ts';
import { type ModeSpan, modeSpans } from '../transitions.ts';
import { completeWeek, intrinsicIssues, knownMode, type ParsedDays, validateWeek } from '../validateWeek.ts';
import type { Day, Entry, Week } from '../week.ts';
import type { EntryDraft, WrittenWeek } from '../writtenWeek.ts';

/** Modes that the schedule does not have, with the mode chosen for each; empty: leave entries out. */
export type ChosenModes = ReadonlyMap<string, string>;

/** A written week after it was fitted to a schedule. */
export type FittedWeek = {
  /** The nearest accepted week; undefined for an unreadable text, or while modes have to be chosen. */
  readonly week: Week | undefined;
  /** Every rule that the written week breaks; empty if it fits unchanged. */
  readonly issues: readonly Issue[];
  /** Modes that the schedule does not have. */
  readonly unknownModes: readonly string[];
};

/** Fits a written week to a schedule: unchanged, or the nearest that is accepted. Missing days stay. */
export const fitWeek = (written: WrittenWeek, present: Week, constraints: Constraints, chosen: ChosenModes = new Map()): FittedWeek => {
  const checked = validateWeek(written, constraints, present);
  if (checked.ok) return { week: completeWeek(checked.value, present), issues: [], unknownModes: [] };
  const { issues } = checked;
  const modes = [...written.days.values()].flatMap(({ drafts }) => drafts.flatMap(({ mode }) => mode ?? []));
  const unknownModes = [...new Set(modes.filter((mode) => modeFor(mode, constraints, new Map()) === undefined))];
  const isUnderstood = intrinsicIssues(written, present).length === 0;
  const near = isUnderstood ? nearDays(written, present, constraints, chosen) : undefined;
  return { week: near && completeWeek(near, present), issues, unknownModes };
};

/** The schedule's mode for a written one; empty: the entry is left out, undefined: there is none. */
const modeFor = (mode: string | undefined, constraints: Constraints, chosen: ChosenModes): string | undefined => {
  const { modes = [] } = constraints;
  if (mode === undefined) return modes.length === 1 ? modes[0] : undefined;
  return knownMode(mode, constraints) ?? chosen.get(mode) ?? (modes.length === 0 ? mode : undefined);
};

/** The nearest days. Changed days are checked again, so that the bridge would not refuse what is offered. */
const nearDays = ({ days }: WrittenWeek, present: Week, constraints: Constraints, chosen: ChosenModes): ParsedDays | undefined => {
  const near = new Map<Day, readonly Entry[]>();
  for (const [day, written] of days) {
    const asWritten = validateWeek({ days: new Map([[day, written]]), issues: [] }, constraints, present);
    const spans = asWritten.ok ? undefined : nearDay(written.drafts, constraints, chosen);
    const json = spans?.map(({ start, end, mode }) => ({ start: printTime(start), end: printTime(end), mode }));
    const checked = asWritten.ok || !json ? asWritten : validateWeek(readJsonDay(day, json), constraints, undefined);
    if (!checked.ok) return undefined;
    near.set(day, checked.value.get(day) ?? []);
  }
  return near;
};

const nearDay = (drafts: readonly EntryDraft[], constraints: Constraints, chosen: ChosenModes): readonly ModeSpan[] | undefined => {
  const { resolution = 1, maxEntries = Number.POSITIVE_INFINITY, overlapAllowed, defaultMode } = constraints;
  const spans: ModeSpan[] = [];
  for (const { start, end, mode: written } of drafts) {
    const mode = modeFor(written, constraints, chosen);
    if (mode === undefined) return undefined;
    const span = { start: onGrid(start, resolution), end: onGrid(end, resolution), mode };
    if (mode !== '' && span.start < span.end) spans.push(span);
  }
  // A time written with the default mode over another entry is cut out of that entry.
  const isLayered = overlapAllowed && spans.length <= maxEntries && spans.every(({ mode }) => mode !== defaultMode);
  return isLayered
    ? spans
    : fewer(
        flat(spans).filter(({ mode }) => mode !== defaultMode),
        maxEntries,
      );
};

const onGrid = (time: string | undefined, resolution: number): number => {
  const minutes = readTime(time ?? '') ?? 0;
  return minutes === DAY_MINUTES ? DAY_MINUTES : Math.min(DAY_MINUTES, Math.round(minutes / resolution) * resolution);
};

/** Entries without overlaps: the last one counts where they overlapped. */
const flat = (spans: readonly ModeSpan[]): readonly ModeSpan[] => {
  const sorted = spans.toSorted((a, b) => a.start - b.start);
  if (sorted.every(({ end }, index) => end <= (sorted[index + 1]?.start ?? DAY_MINUTES))) return sorted;
  return modeSpans(spans.map(({ start, end, mode }, position) => ({ start: printTime(start), end: printTime(end), mode, position })));
};

/** Entries of a day, the mode of the last one, and the number of minutes with another mode than written. */
type Way = { readonly spans: readonly ModeSpan[]; readonly mode: string; readonly minutes: number };

/**
 * At most `most` entries with the fewest changed minutes: a stretch gets its own mode, the previous, or none.
 */
const fewer = (spans: readonly ModeSpan[], most: number): readonly ModeSpan[] => {
  if (spans.length <= most) return spans;
  const all = spans.flatMap((span, index) => [{ start: spans[index - 1]?.end ?? 0, end: span.start, mode: '' }, span]);
  let ways: readonly Way[] = [{ spans: [], mode: '', minutes: 0 }];
  for (const stretch of all.filter(({ start, end }) => start < end)) {
    const longer = ways.flatMap((way) => [...new Set(['', stretch.mode, way.mode])].map((mode) => withSpan(way, stretch, mode)));
    const alike = Map.groupBy(longer, (way) => (way.spans.length > most ? 'too many' : `${way.spans.length} ${way.mode}`));
    alike.delete('too many');
    ways = [...alike.values()].flatMap(bestOf);
  }
  return bestOf(ways).flatMap((way) => way.spans);
};

const bestOf = (ways: readonly Way[]): readonly Way[] => ways.toSorted((a, b) => a.minutes - b.minutes).slice(0, 1);

const withSpan = ({ spans, minutes }: Way, { start, end, mode: written }: ModeSpan, mode: string): Way => {
  const last = spans.at(-1);
  const goesOn = last?.mode === mode && last.end === start;
  const longer = goesOn ? [...spans.slice(0, -1), { ...last, end }] : [...spans, { start, end, mode }];
  return { spans: mode === '' ? spans : longer, mode, minutes: minutes + (mode === written ? 0 : end - start) };
};
