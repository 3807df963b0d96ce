import type { Clock } from '../../shared/clock.ts';

/** One part of a text that is longer than a message of its sender can be (docs/topics.md): `part 2/3 k7x2: …`. */
export type Part = { readonly number: number; readonly count: number; readonly key: string; readonly piece: string };

type Open = { readonly pieces: Map<number, string>; isDone: boolean };

// Parts are short, or they were no parts: what is kept of them has a bound.
const PART = /^part (\d{1,3})\/(\d{1,3}) ([\w-]{1,40}): ([\s\S]{0,1000})$/u;
/** For so long the parts of a text are waited for. */
export const WAIT_MS = 10_000;
const MOST_OPEN = 50;

/** The part that a text is; undefined for any other text. */
export const readPart = (text: string): Part | undefined => {
  const [, number = '', count = '', key = '', piece = ''] = PART.exec(text) ?? [];
  const part = { number: Number(number), count: Number(count), key, piece };
  return part.number >= 1 && part.number <= part.count ? part : undefined;
};

/** Puts texts together that come in parts. */
export class MessageParts {
  readonly #open = new Map<string, Open>();
  readonly #clock: Clock;
  readonly #signal: AbortSignal;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /** The whole text with its last part, else undefined. `late` is called once where some part never comes, with how many have. */
  add(topic: string, { number, count, key, piece }: Part, late: (came: number) => void): string | undefined {
    const name = `${topic} ${count} ${key}`;
    const open = this.#open.get(name) ?? this.#begin(name, late);
    if (!open) {
      late(0);
      return undefined;
    }
    // A broker may deliver a message twice.
    if (open.isDone) return undefined;
    open.pieces.set(number, piece);
    if (open.pieces.size < count) return undefined;
    open.isDone = true;
    return Array.from({ length: count }, (_, index) => open.pieces.get(index + 1) ?? '').join('');
  }

  #begin(name: string, late: (came: number) => void): Open | undefined {
    if (this.#open.size >= MOST_OPEN) return undefined;
    const open = { pieces: new Map<number, string>(), isDone: false };
    this.#open.set(name, open);
    void this.#clock.sleep(WAIT_MS, this.#signal).then(
      () => {
        this.#open.delete(name);
        if (!open.isDone) late(open.pieces.size);
      },
      () => undefined,
    );
    return open;
  }
}
