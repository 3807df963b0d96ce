import type { Held, Ledger, LedgerLine } from '../ports.ts';

/** No bridge counts this far: a larger number on the topic was written by something else. */
const FURTHEST = 2 ** 52;

/** True for a beat that a bridge may have counted. */
export const isBeat = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value < FURTHEST;

/** What the ledger tells of the broker when it shows how much it remembers, and the lines that go into it. */
export class BrokerCheckpoint {
  readonly #ledger: Ledger;
  readonly #lines: LedgerLine[] = [];
  /** The beat that the broker showed last; undefined for none. A data folder that was put back from a copy knows less than the broker. */
  #shown: number | undefined;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  get held(): ReadonlyMap<string, Held> {
    return this.#ledger.held;
  }

  /**
   * The broker shows this beat, or none: `certain` is what it surely holds, as digests by topic; `risen` are topics that were cleared and
   * that it may hold again, as the beat is an older one.
   */
  shown(beat: number | undefined): { readonly certain: Map<string, string>; readonly risen: readonly string[] } {
    const { held, cleared, beat: acknowledged, pendingBeat } = this.#ledger;
    this.#shown = beat;
    if (beat === undefined) return { certain: new Map(), risen: [] };
    const isKnown = beat > 0 && (beat === acknowledged || beat === pendingBeat);
    const sealed = [...held].filter(([, { seal }]) => isKnown && seal <= beat);
    return {
      certain: new Map(sealed.flatMap(([topic, { hash }]) => (hash === undefined ? [] : [[topic, hash] as const]))),
      risen: [...cleared].filter(([, seal]) => !isKnown || seal > beat).map(([topic]) => topic),
    };
  }

  /** No beat is used twice. */
  nextBeat(): number {
    return Math.max(0, ...[this.#ledger.pendingBeat, this.#ledger.beat, this.#shown].filter(isBeat)) + 1;
  }

  /** True where something was published that no beat has sealed yet. */
  isUnsealed(): boolean {
    const { held, cleared, beat } = this.#ledger;
    return [...held.values()].some(({ seal }) => seal > beat) || [...cleared.values()].some((seal) => seal > beat);
  }

  holds(topic: string, owner: string, hash: string): void {
    this.write({ kind: 'held', topic, owner, hash, seal: this.#nextSeal() });
  }

  gone(topic: string): void {
    this.write({ kind: 'gone', topic, seal: this.#nextSeal() });
  }

  // What was acknowledged is written with the next step, or when nothing is under way: a process killed before that publishes it again.
  write(...lines: LedgerLine[]): void {
    this.#lines.push(...lines);
    if (lines.some(({ kind }) => kind === 'sending' || kind === 'beat')) this.flush();
  }

  flush(): void {
    if (this.#lines.length > 0) this.#ledger.write(this.#lines.splice(0));
  }

  #nextSeal(): number {
    const { pendingBeat } = this.#ledger;
    return (isBeat(pendingBeat) ? pendingBeat : 0) + 1;
  }
}
