import { followSensors } from '../../homeassistant/documents/changedSensors.ts';
import {
  handOver,
  type Leaving,
  leavingBetween,
  notedAt,
  type Shown,
  stepsAtBirth,
  stepsTo,
  stillLeaving,
} from '../../homeassistant/documents/documentSteps.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Message } from '../../shared/message.ts';
import type { KeyedStore } from '../ports.ts';
import type { RetainedPublisher } from '../publishing/retainedPublisher.ts';
import { PublishedDocuments } from './publishedDocuments.ts';

/** Home Assistant skips components of a document that follows another one within seconds. */
export const APART_MS = 5000;

class Line {
  /** Makes what is wanted next, at the moment it is due. */
  make: (() => readonly Message[]) | undefined;
  /** Told when that is shown. */
  shown: (() => void) | undefined;
  wanted: readonly Message[] = [];
  shownMs = Number.NEGATIVE_INFINITY;
  /** A hub has started to which removed entities have to be shown. */
  born = false;
  /** What was offered is not there any more. */
  lost = false;
  running = false;
  /** Counts withdrawals: steps that were planned before one are not taken any more. */
  withdrawals = 0;
}

/**
 * What hubs are offered by discovery, by owner: never two versions within seconds, and what is taken back in the steps that Home Assistant
 * needs. A removal stays open, over restarts too, until a hub was there for it from its birth on.
 */
export class DiscoveryPublisher {
  readonly #publisher: RetainedPublisher;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #book: PublishedDocuments;
  readonly #lines = new Map<string, Line>();
  /** True from a hub's birth on, as long as it surely stayed. */
  #isHubThere = false;
  #hubChanges = 0;
  #offering = false;

  constructor(publisher: RetainedPublisher, store: KeyedStore, clock: Clock, signal: AbortSignal) {
    this.#publisher = publisher;
    this.#clock = clock;
    this.#signal = signal;
    this.#book = new PublishedDocuments(store);
  }

  /** True where an earlier run has offered something that may have to be taken back: births of hubs matter. */
  get matters(): boolean {
    return this.#book.owners().length > 0;
  }

  /** True where what is offered now is shown at once, before whatever is published next, as something was shown before. */
  isFree(owner: string): boolean {
    const line = this.#line(owner);
    return !line.running && line.wanted.length > 0 && this.#waitMs(line) <= 0;
  }

  /** These documents from now on, at once or as soon as they may be; those between two that are due are left out. `shown` is called when they are. */
  offer(owner: string, make: () => readonly Message[], shown?: () => void): void {
    Object.assign(this.#line(owner), { make, shown });
    void this.#run(owner);
  }

  /** Takes everything of an owner back at once. */
  withdraw(owner: string): void {
    const line = this.#line(owner);
    Object.assign(line, { make: undefined, shown: undefined, wanted: [], withdrawals: line.withdrawals + 1 });
    const leaving = this.#leave(owner, []);
    this.#publisher.assign(owner, []);
    this.#book.show(owner, []);
    if (this.#isHubThere) this.#book.left(owner, leaving);
  }

  /** Somebody else took away or replaced what was offered: it is offered once more when it may be, seconds after theirs. */
  lost(owner: string, topic: string): void {
    if (this.#publisher.topics.wanted.has(topic)) {
      Object.assign(this.#line(owner), { lost: true, shownMs: this.#clock.elapsedMs() });
      void this.#run(owner);
    } else this.#publisher.show(topic);
  }

  /** A hub was born: after some seconds it is offered the documents again. */
  hubBorn(): void {
    this.#isHubThere = true;
    if (this.#offering) return;
    this.#offering = true;
    this.#clock.sleep(1000 + 4000 * Math.random(), this.#signal).then(
      () => {
        this.#offering = false;
        for (const owner of new Set([...this.#lines.keys(), ...this.#book.owners()])) this.#offerAgain(owner);
      },
      () => undefined,
    );
  }

  /** It is unknown whether a hub runs: it has stopped, or the connection has ended. */
  hubLost(): void {
    this.#isHubThere = false;
    this.#hubChanges += 1;
  }

  #offerAgain(owner: string): void {
    const line = this.#line(owner);
    if (this.#book.leaving(owner).size > 0) {
      line.born = true;
      void this.#run(owner);
    } else {
      this.#publisher.showAll(owner);
      line.shownMs = this.#clock.elapsedMs();
    }
  }

  async #run(owner: string): Promise<void> {
    const line = this.#line(owner);
    if (line.running) return;
    line.running = true;
    try {
      while (line.make || line.born || line.lost) await this.#next(owner, line);
    } catch (cause) {
      // At a stop what is left to do is done after the next start.
      if (!this.#signal.aborted) throw cause;
    } finally {
      line.running = false;
    }
  }

  async #next(owner: string, line: Line): Promise<void> {
    if (this.#waitMs(line) > 0) await this.#clock.sleep(this.#waitMs(line), this.#signal);
    const { make, shown, born, lost, withdrawals } = line;
    Object.assign(line, { make: undefined, shown: undefined, born: false, lost: false });
    const before = this.#before(owner);
    line.wanted = make?.() ?? line.wanted;
    const fresh = this.#leave(owner, line.wanted);
    const all = this.#book.leaving(owner);
    const isBirth = born && all.size > 0;
    const hub = this.#hubChanges;
    const isHubThere = this.#isHubThere;
    // Also what stays as it is: the hub is new to it.
    if (isBirth || lost) this.#publisher.showAll(owner);
    const direct = isBirth
      ? [...handOver(before, line.wanted, fresh), ...stepsAtBirth(line.wanted, all)]
      : stepsTo(before, line.wanted, fresh);
    const { steps, topics } = followSensors(direct, before, line.wanted);
    for (const [n, step] of steps.entries()) {
      if (n > 0) await this.#clock.sleep(Math.max(0, this.#waitMs(line)), this.#signal);
      // The owner was withdrawn meanwhile.
      if (line.withdrawals !== withdrawals) return;
      if (n === steps.length - 1 && topics.length > 0) await this.#showAgain(topics);
      // Before they are under way: after a stop in the midst of that the next run goes on from there.
      const noted = notedAt(n, steps, line.wanted, isBirth ? all : fresh);
      if (noted) this.#book.show(owner, noted);
      this.#publisher.assign(owner, step);
      // A step that still waits would be left out when the next one comes.
      await this.#publisher.taken(step.map(({ topic }) => topic));
      line.shownMs = this.#clock.elapsedMs();
    }
    shown?.();
    if (isHubThere && hub === this.#hubChanges) this.#book.left(owner, isBirth ? all : fresh);
  }

  async #showAgain(topics: readonly string[]): Promise<void> {
    for (const topic of topics) this.#publisher.show(topic);
    await this.#publisher.taken(topics);
  }

  #waitMs({ shownMs }: Line): number {
    return shownMs + APART_MS - this.#clock.elapsedMs();
  }

  /** Notes which entities are removed, before anything is taken back; gives those that are new. */
  #leave(owner: string, wanted: readonly Message[]): Leaving {
    const fresh = leavingBetween(this.#before(owner), wanted);
    this.#book.leave(owner, stillLeaving(new Map([...this.#book.leaving(owner), ...fresh]), wanted));
    return fresh;
  }

  /** What the owner has shown, also where only the database still knows on which topics. */
  #before(owner: string): Shown {
    const topics = [...this.#publisher.topics.topicsOf(owner)].map((topic) => [topic, undefined] as const);
    return new Map([...topics, ...this.#book.shown(owner)]);
  }

  #line(owner: string): Line {
    const line = this.#lines.get(owner) ?? new Line();
    this.#lines.set(owner, line);
    return line;
  }
}
