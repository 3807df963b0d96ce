import type { Held, PublishedTopicChange, PublishedTopics } from '../../ports.ts';

/** No bridge counts this far: a larger number on the topic was written by something else. */
const FURTHEST = 2 ** 52;

/** True for a beat that a bridge may have counted. */
export const isBeat = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value < FURTHEST;

/** A retained message that is about to be published; without a hash it clears the topic. */
type Sending = { readonly topic: string; readonly owner: string; readonly hash: string | undefined };

const stepsOf = (topics: readonly Sending[], seal: number): readonly PublishedTopicChange[] =>
  topics.map(({ topic, owner, hash }) =>
    hash === undefined ? { kind: 'sending', topic, owner } : { kind: 'held', topic, owner, hash, seal },
  );

/** What the database tells of the broker when it shows how much it remembers, and the lines that go into it. */
export class BrokerCheckpoint {
  readonly #publishedTopics: PublishedTopics;
  readonly #lines: PublishedTopicChange[] = [];
  /** The beat that the broker showed last; undefined for none. A data folder that was put back from a copy knows less than the broker. */
  #shown: number | undefined;

  constructor(publishedTopics: PublishedTopics) {
    this.#publishedTopics = publishedTopics;
  }

  get held(): ReadonlyMap<string, Held> {
    return this.#publishedTopics.held;
  }

  /**
   * The broker shows this beat, or none: `certain` is what it surely holds, as digests by topic; `risen` are topics that were cleared and
   * that it may hold again, as the beat is an older one.
   */
  shown(beat: number | undefined): { readonly certain: Map<string, string>; readonly risen: readonly string[] } {
    const { held, cleared, beat: acknowledged, pendingBeat } = this.#publishedTopics;
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
    return Math.max(0, ...[this.#publishedTopics.pendingBeat, this.#publishedTopics.beat, this.#shown].filter(isBeat)) + 1;
  }

  /** True where something was published that no beat has sealed yet. */
  isUnsealed(): boolean {
    const { held, cleared, beat } = this.#publishedTopics;
    return [...held.values()].some(({ seal }) => seal > beat) || [...cleared.values()].some((seal) => seal > beat);
  }

  /** Before these are published: each counts as held once the broker shows the next beat. */
  sending(topics: readonly Sending[]): void {
    this.write(...stepsOf(topics, this.#nextSeal()));
  }

  /** Before the beat is published. It does not seal what is under way: both at once, as a process killed in between would leave that sealed. */
  beating(beat: number, underWay: readonly Sending[]): void {
    this.write({ kind: 'beat', beat, acknowledged: false }, ...stepsOf(underWay, beat + 1));
  }

  gone(topic: string): void {
    this.write({ kind: 'gone', topic, seal: this.#nextSeal() });
  }

  // What was cleared is written with the next step, or when nothing is under way: a process killed before that clears it again.
  write(...lines: PublishedTopicChange[]): void {
    this.#lines.push(...lines);
    if (lines.some(({ kind }) => kind !== 'gone')) this.flush();
  }

  flush(): void {
    if (this.#lines.length > 0) this.#publishedTopics.write(this.#lines.splice(0));
  }

  #nextSeal(): number {
    const { pendingBeat } = this.#publishedTopics;
    return (isBeat(pendingBeat) ? pendingBeat : 0) + 1;
  }
}
