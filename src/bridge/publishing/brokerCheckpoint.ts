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

  /** The broker shows this beat, or none: gives what it surely holds, as digests by topic. */
  shown(beat: number | undefined): Map<string, string> {
    this.#shown = isBeat(beat) ? beat : undefined;
    const shown = this.#shown;
    if (!shown || !this.#isKnown(shown)) return new Map();
    return new Map(
      [...this.#ledger.held].flatMap(([topic, { hash, seal }]) => (hash !== undefined && seal <= shown ? [[topic, hash] as const] : [])),
    );
  }

  /** Topics that were cleared and that a broker which shows an older beat may hold again. */
  risen(): string[] {
    const shown = this.#shown;
    if (shown === undefined) return [];
    const isOlder = !this.#isKnown(shown);
    return [...this.#ledger.cleared].flatMap(([topic, seal]) => (isOlder || seal > shown ? [topic] : []));
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

  #isKnown(shown: number): boolean {
    return shown === this.#ledger.beat || shown === this.#ledger.pendingBeat;
  }
}
