import type { Clock } from '../../../shared/clock.ts';

/** One part of a text that exceeds its sender's message limit (docs/topics.md): `part 2/3 k7x2: …`. */
export type Part = { readonly number: number; readonly count: number; readonly key: string; readonly piece: string };

/** Receives the outcome of a text; exactly one of them is called. */
export type Outcome = {
  readonly whole: (text: string) => void;
  /** Parts are missing, or another text used the same word; `came`: number of parts that came. */
  readonly incomplete: (came: number) => void;
};

type Text = Outcome & {
  readonly pieces: Map<number, string>;
  /** Parts that came again unchanged: copies of a message, or equal pieces of the next text. */
  readonly repeated: Set<number>;
  /** Another text with this word was incomplete, or shares pieces: parts of both may be under way. */
  readonly isContested: boolean;
  state: 'open' | 'whole' | 'given up';
};

// Real parts are short; the limits of the pattern bound the memory for others.
const PART = /^part (\d{1,3})\/(\d{1,3}) ([\w-]{1,40}): ([\s\S]{0,1000})$/u;
/** How long parts are waited for, and copies are recognized. */
export const WAIT_MS = 10_000;
/** Within this time a piece of the other text shows that a contested text is a mix of both. */
const CONTEST_MS = 1000;
/** Maximum numbers of open texts, and of remembered ones, whose late parts are still recognized. */
const [MOST_OPEN, MOST_TEXTS] = [50, 1000];

/** Reads a part; undefined for any other text. */
export const readPart = (text: string): Part | undefined => {
  const [, number = '', count = '', key = '', piece = ''] = PART.exec(text) ?? [];
  const part = { number: Number(number), count: Number(count), key, piece };
  return part.number >= 1 && part.number <= part.count ? part : undefined;
};

/** Assembles texts that arrive in parts. */
export const messageParts = (clock: Clock, signal: AbortSignal) => {
  /** By topic, number of parts and word; oldest first. */
  const texts = new Map<string, Text>();
  /** Texts without an answer yet, oldest first. */
  const open = new Set<Text>();

  /** `begin` is called for the first part of a text. */
  const add = (topic: string, { number, count, key, piece }: Part, begin: () => Outcome): void => {
    const name = `${topic} ${count} ${key}`;
    const before = texts.get(name);
    const there = before?.pieces.get(number);
    if (before && there === piece) {
      before.repeated.add(number);
      // All parts came again: they were copies, not pieces of the next text.
      if (before.repeated.size === count) before.repeated.clear();
      return;
    }
    // The text was already answered when it made room for others.
    if (before?.state === 'given up' && there === undefined) return;
    const text = before && there === undefined ? before : beginText(name, before, begin);
    text.pieces.set(number, piece);
    if (text.pieces.size === count) complete(text);
  };

  const beginText = (name: string, before: Text | undefined, begin: () => Outcome): Text => {
    const again = [...(before?.repeated ?? [])].map((number) => [number, before?.pieces.get(number) ?? ''] as const);
    const text: Text = {
      ...begin(),
      pieces: new Map(again),
      repeated: new Set<number>(),
      isContested: (before && before.state !== 'whole') || again.length > 0,
      state: 'open',
    };
    if (before) forget(name, before);
    const [oldest] = texts;
    if (oldest && texts.size >= MOST_TEXTS) forget(...oldest);
    const [first] = open;
    if (first && open.size >= MOST_OPEN) giveUp(first);
    texts.set(name, text);
    open.add(text);
    const end = (): void => forget(name, text);
    void clock.sleep(WAIT_MS, signal).then(end, end);
    return text;
  };

  const forget = (name: string, text: Text): void => {
    if (texts.get(name) === text) texts.delete(name);
    giveUp(text);
  };

  const giveUp = (text: Text): void => {
    if (!ends(text, 'given up')) return;
    text.incomplete(text.pieces.size);
    // From now on only their numbers are needed.
    for (const number of text.pieces.keys()) text.pieces.set(number, '');
  };

  const complete = (text: Text): void => {
    const pieces = [...text.pieces].sort(([a], [b]) => a - b).map(([, piece]) => piece);
    const finish = (): void => {
      if (ends(text, 'whole')) text.whole(pieces.join(''));
    };
    if (!text.isContested) finish();
    else void clock.sleep(CONTEST_MS, signal).then(finish, finish);
  };

  /** Closes a text; false where it was closed before. */
  const ends = (text: Text, state: 'whole' | 'given up'): boolean => {
    if (text.state !== 'open') return false;
    text.state = state;
    return open.delete(text);
  };

  return { add };
};
