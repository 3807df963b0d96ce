import { followWords } from '../../../homeassistant/documents/changedWords.ts';
import {
  handOver,
  type Leaving,
  leavingBetween,
  stepsAtBirth,
  stepsTo,
  stillLeaving,
} from '../../../homeassistant/documents/documentSteps.ts';
import { mainDocumentTopic } from '../../../homeassistant/documents/publishedDocument.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Message } from '../../../shared/message.ts';
import type { KeyedStore } from '../../ports.ts';
import type { RetainedPublisher } from '../broker/retainedPublisher.ts';
import type { OtherBridges } from './otherBridges.ts';
import { PublishedDocuments } from './publishedDocuments.ts';

/** Home Assistant skips components of a document that follows another one within seconds. */
export const APART_MS = 5000;

/** The documents of an owner, and what is to be done with them next. */
class DocumentSlot {
  /** Makes the documents at the moment they are published. */
  make: (() => readonly Message[]) | undefined;
  /** Called when they are published. */
  published: (() => void) | undefined;
  /** Undefined where it is what `PublishedDocuments` has as shown: large documents are kept once. */
  wanted: readonly Message[] | undefined;
  publishedMs = Number.NEGATIVE_INFINITY;
  /** A hub has started, to which removed entities have to be shown. */
  hubRestarted = false;
  /** Another client has changed or removed what was published. */
  isLost = false;
  /** Another bridge offers the device. */
  isOfOther = false;
  isRunning = false;
  /** Counts withdrawals: steps that were planned before one are not taken any more. */
  withdrawals = 0;
}

/** What leaves the documents of an owner: since earlier, since the last version, and both together. */
type Departures = { readonly former: Leaving; readonly fresh: Leaving; readonly all: Leaving };

/**
 * Publishes the discovery documents by owner: never two versions within seconds, and what is removed in the steps that Home Assistant
 * needs. A removal stays open, over restarts too, until a hub took part in it that had started before.
 */
export class DiscoveryPublisher {
  readonly others: OtherBridges;
  readonly #publisher: RetainedPublisher;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #publishedDocuments: PublishedDocuments;
  readonly #slots = new Map<string, DocumentSlot>();
  /** True from a hub's birth message on, as long as it surely runs. */
  #isHubThere = false;
  #hubChanges = 0;
  #isOfferingAgain = false;

  constructor(publisher: RetainedPublisher, others: OtherBridges, store: KeyedStore, clock: Clock, signal: AbortSignal) {
    this.#publisher = publisher;
    this.others = others;
    this.#clock = clock;
    this.#signal = signal;
    this.#publishedDocuments = new PublishedDocuments(store);
  }

  /** True where an earlier run has published documents, which may have to be withdrawn: birth messages are needed for that. */
  get hasPublished(): boolean {
    return this.#publishedDocuments.owners().length > 0;
  }

  /** True where what is offered now is published at once, before whatever is published next, as there is a version already. */
  isFree(owner: string): boolean {
    const slot = this.#slot(owner);
    return !slot.isRunning && slot.wanted?.length !== 0 && this.#waitMs(slot) <= 0;
  }

  /** These documents from now on, at once or as soon as possible; versions in between are left out. `published` is called when they are. */
  offer(owner: string, make: () => readonly Message[], published?: () => void): void {
    Object.assign(this.#slot(owner), { make, published });
    void this.#run(owner);
  }

  /** Removes all documents of an owner at once. */
  withdraw(owner: string): void {
    const slot = this.#slot(owner);
    Object.assign(slot, { make: undefined, published: undefined, wanted: [], withdrawals: slot.withdrawals + 1 });
    const { former } = this.#depart(owner, []);
    this.#publisher.assign(owner, []);
    this.#publishedDocuments.keep(owner, { shown: [] });
    if (this.#isHubThere) this.#publishedDocuments.keep(owner, { leaving: former });
  }

  /** Another client has removed or replaced a document: it is published once more, seconds after that. */
  lost(owner: string, topic: string): void {
    if (this.#publisher.topics.wanted.has(topic)) {
      Object.assign(this.#slot(owner), { isLost: true, publishedMs: this.#clock.elapsedMs() });
      void this.#run(owner);
    } else this.#publisher.show(topic);
  }

  /** Everything is published again: tries again to offer the devices that another bridge had. */
  offerAll(): void {
    for (const [owner, slot] of this.#slots) {
      if (!slot.isOfOther) continue;
      slot.make ??= () => this.#wanted(owner, slot);
      void this.#run(owner);
    }
  }

  /** A hub has started: after some seconds the documents are published for it again. */
  hubBorn(): void {
    this.#isHubThere = true;
    if (this.#isOfferingAgain) return;
    this.#isOfferingAgain = true;
    this.#clock.sleep(1000 + 4000 * Math.random(), this.#signal).then(
      () => {
        this.#isOfferingAgain = false;
        for (const owner of new Set([...this.#slots.keys(), ...this.#publishedDocuments.owners()])) this.#offerAgain(owner);
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
    const slot = this.#slot(owner);
    if (this.#publishedDocuments.leaving(owner).size > 0) {
      slot.hubRestarted = true;
      void this.#run(owner);
    } else if (slot.isRunning || this.#waitMs(slot) > 0) {
      // Another version waits for its time, or was published just now.
      slot.isLost = true;
      void this.#run(owner);
    } else {
      this.#publisher.showAll(owner);
      slot.publishedMs = this.#clock.elapsedMs();
    }
  }

  async #run(owner: string): Promise<void> {
    const slot = this.#slot(owner);
    if (slot.isRunning) return;
    slot.isRunning = true;
    try {
      while (slot.make || slot.hubRestarted || slot.isLost) await this.#next(owner, slot);
    } catch (cause) {
      // At a stop what is left to do is done after the next start.
      if (!this.#signal.aborted) throw cause;
    } finally {
      slot.isRunning = false;
    }
  }

  async #next(owner: string, slot: DocumentSlot): Promise<void> {
    if (this.#waitMs(slot) > 0) await this.#clock.sleep(this.#waitMs(slot), this.#signal);
    const { make, published, hubRestarted, isLost, withdrawals } = slot;
    Object.assign(slot, { make: undefined, published: undefined, hubRestarted: false, isLost: false });
    const wanted = make?.() ?? this.#wanted(owner, slot);
    slot.wanted = wanted;
    const before = this.#publishedDocuments.shown(owner);
    const main = wanted[0] && mainDocumentTopic(wanted[0].topic);
    slot.isOfOther = main !== undefined && this.others.haveDevice(owner, main, before.get(main));
    if (slot.isOfOther) {
      this.#publisher.abandon(owner);
      this.#publishedDocuments.keep(owner, { shown: [], leaving: new Map() });
      return;
    }
    const { former, fresh, all } = this.#depart(owner, wanted);
    const isBirth = hubRestarted && all.size > 0;
    const hub = this.#hubChanges;
    const isHubThere = this.#isHubThere;
    // Also what stays as it is: the hub does not know it yet.
    if (isBirth || isLost) this.#publisher.showAll(owner);
    const direct = isBirth ? [...handOver(before, wanted), ...stepsAtBirth(wanted, all)] : stepsTo(before, wanted, fresh);
    const { steps, topics } = followWords(direct, before, wanted);
    for (const [n, step] of steps.entries()) {
      if (n > 0) await this.#clock.sleep(Math.max(0, this.#waitMs(slot)), this.#signal);
      const isLast = n === steps.length - 1;
      if (slot.withdrawals === withdrawals && isLast && topics.length > 0) {
        for (const topic of topics) this.#publisher.show(topic);
        await this.#publisher.taken(topics);
      }
      // The owner was withdrawn meanwhile.
      if (slot.withdrawals !== withdrawals) return;
      // Before the last step is under way: after a stop in the midst of it the next run only publishes what is wanted.
      if (isLast) this.#publishedDocuments.keep(owner, { shown: wanted });
      this.#publisher.assign(owner, step);
      // A step that still waits would be left out when the next one comes.
      await this.#publisher.taken(step.map(({ topic }) => topic));
      slot.publishedMs = this.#clock.elapsedMs();
    }
    if (steps.length > 0 && wanted.length > 0) {
      slot.wanted = undefined;
      this.#publishedDocuments.share(owner, (topic) => this.#publisher.topics.wanted.get(topic));
    }
    published?.();
    if (isHubThere && hub === this.#hubChanges && slot.withdrawals === withdrawals)
      this.#publishedDocuments.keep(owner, { leaving: isBirth ? new Map() : former });
  }

  #wanted(owner: string, { wanted }: DocumentSlot): readonly Message[] {
    return wanted ?? [...this.#publishedDocuments.shown(owner)].map(([topic, payload]) => ({ topic, payload, retain: true }));
  }

  #waitMs({ publishedMs }: DocumentSlot): number {
    return publishedMs + APART_MS - this.#clock.elapsedMs();
  }

  /** Notes which entities are removed, before anything is withdrawn. */
  #depart(owner: string, wanted: readonly Message[]): Departures {
    const fresh = leavingBetween(this.#publishedDocuments.shown(owner), wanted);
    const former = stillLeaving(this.#publishedDocuments.leaving(owner), new Map(), wanted);
    const all = stillLeaving(former, fresh, wanted);
    this.#publishedDocuments.keep(owner, { leaving: all });
    return { former, fresh, all };
  }

  #slot(owner: string): DocumentSlot {
    const slot = this.#slots.get(owner) ?? new DocumentSlot();
    this.#slots.set(owner, slot);
    return slot;
  }
}
