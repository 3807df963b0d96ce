import { DAY_MS } from '../../shared/clock.ts';
import type { PlanCommand } from '../plans/precedence.ts';
import { addDays, dateText, instantAt } from '../zone.ts';
import { type CalendarEvent, type Span, spanOf } from './events.ts';
import { concerns, type Effect, type Rule } from './rules.ts';

/** A feature that events can change, with the zone of its times. */
export type Target = { readonly device: string; readonly feature: string; readonly zone: string } & (
  | { readonly kind: 'schedule'; readonly profiles: readonly string[] }
  | { readonly kind: 'program'; readonly program: string }
  /** `cancel`: the command that ends it early. */
  | { readonly kind: 'holiday' | 'holidayAtHome'; readonly cancel: string; readonly isOneDayAllowed: boolean }
);

/** The effect on a feature from one moment to another (epoch milliseconds). */
type AgendaEntry = {
  readonly device: string;
  readonly feature: string;
  readonly beginMs: number;
  readonly untilMs: number;
  /** The titles of its events, at most `MOST_TITLES`. */
  readonly titles: readonly string[];
  readonly rule: string;
  readonly effect: Effect;
  readonly command: PlanCommand;
  /** Events without an effect here, because this one takes precedence; at most `MOST_TITLES`. */
  readonly insteadOf: readonly string[];
};

/** `unmatched`: events of these days that no rule fits; `without`: events whose rule no feature accepts. */
export type Agenda = {
  readonly entries: readonly AgendaEntry[];
  readonly unmatched: readonly string[];
  readonly without: readonly string[];
};

/** Maximum length of an event: a temporary write ends within a year. */
const LONGEST_MS = 365 * DAY_MS;

/** Maximum titles per entry: hundreds of events may overlap, and each entry lists all their names. */
const MOST_TITLES = 20;

type Claim = {
  readonly beginMs: number;
  readonly untilMs: number;
  readonly order: number;
  readonly rule: Rule;
  readonly titles: readonly string[];
  readonly days: Span['days'];
};

/**
 * The effects of events on the targets between two moments. The first rule that fits an event and a feature
 * counts. Of simultaneous events on a feature the one with the earlier rule wins, then the one that begins
 * later, then the longer one. Touching events with the same effect are joined.
 */
export const agendaOf = (
  events: readonly CalendarEvent[],
  rules: readonly Rule[],
  targets: readonly Target[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Agenda => {
  const isNear = ({ beginMs, untilMs }: Pick<Claim, 'beginMs' | 'untilMs'>): boolean => untilMs > fromMs && beginMs < toMs;
  const used = new Set<CalendarEvent>();
  const entries = targets.flatMap((target) => {
    const claimed = events.flatMap((event) => {
      const claim = claimOf(event, rules, target);
      return claim ? [{ event, claim }] : [];
    });
    // Ended claims are included: they may be joined with a running one, which so keeps its begin.
    const claims = claimed.map(({ claim }) => claim);
    const own = isHoliday(target) ? holidays(claims, target) : weeks(claims, target);
    // A device that allows no holiday of one day does nothing with it.
    const isMade = ({ beginMs, untilMs }: Claim): boolean => own.some((one) => one.beginMs <= beginMs && untilMs <= one.untilMs);
    for (const { event, claim } of claimed) if (!isHoliday(target) || isMade(claim)) used.add(event);
    return own;
  });
  const near = events.filter((event) => {
    const span = spanOf(event, targets[0]?.zone ?? 'UTC');
    return span && isNear({ beginMs: span.beginMs, untilMs: span.endMs });
  });
  const fits = (event: CalendarEvent): boolean => rules.some((rule) => fitsEvent(rule, event));
  const titlesOf = (some: readonly CalendarEvent[]): readonly string[] => [...new Set(some.map(({ title }) => title))];
  return {
    entries: entries.filter(isNear).sort((a, b) => a.beginMs - b.beginMs),
    unmatched: titlesOf(near.filter((event) => !fits(event))),
    without: titlesOf(near.filter((event) => fits(event) && !used.has(event))),
  };
};

const isHoliday = (target: Target): target is Extract<Target, { kind: 'holiday' | 'holidayAtHome' }> =>
  target.kind === 'holiday' || target.kind === 'holidayAtHome';

const fitsEvent = (rule: Rule, { title, start }: CalendarEvent): boolean => rule.title(title) && (!rule.isAllDay || start.length === 10);

const takes = (target: Target, effect: Effect): boolean => {
  if (effect.kind === 'profile') return target.kind === 'schedule' && target.profiles.includes(effect.name);
  if (effect.kind === 'program') return target.kind === 'program' && target.program === effect.name;
  return target.kind === effect.kind;
};

/** The claim of an event on a target; undefined where no rule applies. */
const claimOf = (event: CalendarEvent, rules: readonly Rule[], target: Target): Claim | undefined => {
  const { device, feature, zone } = target;
  const order = rules.findIndex((rule) => fitsEvent(rule, event) && takes(target, rule.effect) && concerns(rule, device, feature));
  const rule = rules[order];
  const span = rule && spanOf(event, zone);
  if (!rule || !span || span.endMs - span.beginMs > LONGEST_MS) return undefined;
  const { days } = span;
  const beginMs = (days ? instantAt(days.first, rule.arrival, zone) : span.beginMs) - rule.leadMs;
  const untilMs = days ? instantAt(days.after, rule.departure, zone) : span.endMs;
  return { beginMs, untilMs, order, rule, titles: [event.title], days };
};

/** Claims of whole days that overlap or touch are one holiday, with the device's own dates. */
const holidays = (claims: readonly Claim[], target: Extract<Target, { kind: 'holiday' | 'holidayAtHome' }>): readonly AgendaEntry[] => {
  const { cancel, isOneDayAllowed } = target;
  return joined(claims, () => true).flatMap((claim) => {
    const { days } = claim;
    const last = days && addDays(days.after, -1);
    if (!days || !last || (!isOneDayAllowed && dateText(last) === dateText(days.first))) return [];
    const command: PlanCommand = { call: 'schedule', value: { start: dateText(days.first), end: dateText(last) }, cancel };
    return [entryOf(target, claim, command, [])];
  });
};

/** Cuts claims where another takes precedence, and joins neighbours with the same effect. */
const weeks = (claims: readonly Claim[], target: Target): readonly AgendaEntry[] => {
  const ranked = [...claims].sort(byRank);
  return joined(winners(ranked), (one, next) => isSameEffect(one.rule.effect, next.rule.effect)).map((claim) => {
    const { beginMs, untilMs, rule } = claim;
    const isMeanwhile = (one: Claim): boolean => one.beginMs < untilMs && one.untilMs > beginMs;
    const losers = ranked.filter((one) => isMeanwhile(one) && !isSameEffect(one.rule.effect, rule.effect)).slice(0, MOST_TITLES);
    return entryOf(target, claim, commandOf(rule.effect), [...new Set(losers.flatMap(({ titles }) => titles))]);
  });
};

/** The winning claim between any two consecutive begins or ends: the first in rank. */
const winners = (ranked: readonly Claim[]): readonly Claim[] => {
  const cuts = [...new Set(ranked.flatMap(({ beginMs, untilMs }) => [beginMs, untilMs]))].sort((a, b) => a - b);
  return cuts.flatMap((beginMs, index) => {
    const untilMs = cuts[index + 1] ?? beginMs;
    const first = ranked.find((claim) => claim.beginMs <= beginMs && claim.untilMs > beginMs);
    return first ? [{ ...first, beginMs, untilMs }] : [];
  });
};

const byRank = (one: Claim, other: Claim): number => one.order - other.order || other.beginMs - one.beginMs || other.untilMs - one.untilMs;

const isSameEffect = (one: Effect, other: Effect): boolean => one === other || JSON.stringify(one) === JSON.stringify(other);

/** Joins claims that are `isSame` and overlap, touch, or have a gap that the rule allows. */
const joined = (claims: readonly Claim[], isSame: (one: Claim, next: Claim) => boolean): readonly Claim[] => {
  const found: Claim[] = [];
  for (const next of [...claims].sort((a, b) => a.beginMs - b.beginMs)) {
    const last = found.at(-1);
    const isNext = last && isSame(last, next) && next.beginMs <= last.untilMs + Math.max(last.rule.gapMs, next.rule.gapMs);
    found.splice(isNext ? -1 : found.length, 1, isNext ? both(last, next) : next);
  }
  return found;
};

const both = (one: Claim, next: Claim): Claim => {
  const { untilMs, days } = next.untilMs > one.untilMs ? next : one;
  const titles = [...new Set([...one.titles, ...next.titles])].slice(0, MOST_TITLES);
  return { ...one, untilMs, titles, days: one.days && days && { first: one.days.first, after: days.after } };
};

const commandOf = (effect: Effect): PlanCommand =>
  effect.kind === 'profile' ? { leaf: 'profile', value: effect.name } : { leaf: 'active', value: true };

const entryOf = (
  { device, feature }: Target,
  { beginMs, untilMs, titles, rule }: Claim,
  command: PlanCommand,
  insteadOf: readonly string[],
): AgendaEntry => ({ device, feature, beginMs, untilMs, titles, rule: rule.text, effect: rule.effect, command, insteadOf });
