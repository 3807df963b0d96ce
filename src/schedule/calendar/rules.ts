import { DAY_MS } from '../../shared/clock.ts';
import { matchesAny } from '../../shared/pattern.ts';
import { readDuration } from '../duration.ts';
import { readTime } from '../time.ts';

/** The effect of an event on a feature. */
export type Effect = { readonly kind: 'profile' | 'program'; readonly name: string } | { readonly kind: 'holiday' | 'holidayAtHome' };

/** A rule of the setting `calendar.rules`. */
export type Rule = {
  /** As it is written. */
  readonly text: string;
  readonly title: (title: string) => boolean;
  readonly effect: Effect;
  /** Globs over `device/feature` or the feature alone; empty: all features that accept the effect. */
  readonly on: readonly string[];
  readonly isAllDay: boolean;
  /** How long before the event it begins. */
  readonly leadMs: number;
  /** For all-day events, in minutes since midnight: the begin on the first day, the end after the last. */
  readonly arrival: number;
  readonly departure: number;
  /** Two events with at most this gap are joined. */
  readonly gapMs: number;
};

type Options = Omit<Rule, 'text' | 'title' | 'effect'>;

const FORM = 'TITLE -> profile NAME, program NAME, holiday or holiday-at-home';
const NONE: Options = { on: [], isAllDay: false, leadMs: 0, arrival: 0, departure: 0, gapMs: 0 };

/**
 * Reads a rule: `Away -> profile absent; on heating.circuits.*; lead 2h`. The title matches whole words in
 * the event's title, ignoring case; with a final `*` its beginning. Returns a text that says what is wrong
 * with an invalid rule.
 */
export const readRule = (text: string): Rule | string => {
  const [head = '', ...options] = text.split(';').map((part) => part.trim());
  const [title = '', target, ...more] = head.split(/->|→|=>/u).map((part) => part.trim());
  if (title === '' || target === undefined || more.length > 0) return FORM;
  const effect = readEffect(target);
  if (!effect) return `profile NAME, program NAME, holiday or holiday-at-home after ->, not ${target || 'an empty text'}`;
  let read: Options = { ...NONE, isAllDay: effect.kind === 'holiday' || effect.kind === 'holidayAtHome' };
  for (const option of options.filter((one) => one !== '')) {
    const next = readOption(option);
    if (!next) return `the options on GLOB, all-day, lead 2h, arrival 15:00, departure 11:00 and gap 6h, not ${option}`;
    read = { ...read, ...next, on: [...read.on, ...(next.on ?? [])] };
  }
  return { text, title: titleTest(title), effect, ...read };
};

const readEffect = (target: string): Effect | undefined => {
  const [kind = '', ...rest] = target.split(/\s+/u);
  const name = rest.join(' ');
  const word = kind.toLowerCase();
  if (name !== '') return word === 'profile' || word === 'program' ? { kind: word, name } : undefined;
  if (word === 'holiday') return { kind: 'holiday' };
  return word === 'holiday-at-home' || word === 'holidayathome' ? { kind: 'holidayAtHome' } : undefined;
};

const readOption = (option: string): Partial<Options> | undefined => {
  const [, word = '', value = ''] = /^(\S+)\s*(.*)$/u.exec(option) ?? [];
  switch (word.toLowerCase()) {
    case 'on':
      return value === '' ? undefined : { on: value.split(/[\s,]+/u) };
    case 'all-day':
      return value === '' ? { isAllDay: true } : undefined;
    case 'lead':
      return spanOf('leadMs', value.replace(/^-/u, ''));
    case 'gap':
      return spanOf('gapMs', value);
    case 'arrival':
    case 'departure': {
      const minutes = readTime(value);
      return minutes === undefined ? undefined : { [word.toLowerCase()]: minutes };
    }
    default:
      return undefined;
  }
};

const spanOf = (key: 'leadMs' | 'gapMs', value: string): Partial<Options> | undefined => {
  const read = readDuration(value);
  const ms = read && read.days * DAY_MS + read.ms;
  return ms === undefined || ms > (key === 'gapMs' ? 1 : 7) * DAY_MS ? undefined : { [key]: ms };
};

/** Some programs write an umlaut as two characters. */
const composed = (text: string): string => text.normalize('NFC');

const titleTest = (title: string): Rule['title'] => {
  if (title.endsWith('*')) {
    const start = composed(title).slice(0, -1).trim().toLowerCase();
    return (written) => composed(written).trim().toLowerCase().startsWith(start);
  }
  const words = composed(title)
    .replaceAll(/[.*+?^${}()|[\]\\/]/gu, String.raw`\$&`)
    .replaceAll(/\s+/gu, String.raw`\s+`);
  const whole = new RegExp(String.raw`(?<![\p{L}\p{N}])${words}(?![\p{L}\p{N}])`, 'iu');
  return (written) => whole.test(composed(written));
};

/** True where the rule concerns this feature. */
export const concerns = ({ on }: Pick<Rule, 'on'>, device: string, feature: string): boolean =>
  on.length === 0 || matchesAny(feature, on) || matchesAny(`${device}/${feature}`, on);
