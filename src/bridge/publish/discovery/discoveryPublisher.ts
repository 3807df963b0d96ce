import { followWords } from '../../../homeassistant/documents/changedWords.ts';
import {
  type DocumentsByTopic,
  handOver,
  leavingBetween,
  stepsAtBirth,
  stepsTo,
  stillLeaving,
} from '../../../homeassistant/documents/documentSteps.ts';
import { mainDocumentTopic } from '../../../homeassistant/documents/publishedDocument.ts';
import { type Clock, later } from '../../../shared/clock.ts';
import type { Message } from '../../../shared/message.ts';
import type { KeyedStore } from '../../ports.ts';
import type { LargeText } from '../broker/largeText.ts';
import type { RetainedPublisher } from '../broker/retainedPublisher.ts';
import type { OtherBridges } from './otherBridges.ts';
import { publishedDocuments } from './publishedDocuments.ts';

/** Home Assistant skips components if another document follows within seconds. */
export const APART_MS = 5000;

/** The documents of an owner, and the next action for them. */
class DocumentSlot {
  /** Builds the documents when they are published. */
  make: (() => readonly Message[]) | undefined;
  /** The values that need the new document follow it. */
  isAhead = false;
  /** Builds the documents while another bridge offers the device. */
  ofOther: (() => readonly Message[]) | undefined;
  publishedMs = Number.NEGATIVE_INFINITY;
  /** A hub has started: removed entities must be shown to it. */
  hubRestarted = false;
  /** Another client has changed or removed what was published. */
  isLost = false;
  isRunning = false;
  /** Counts withdrawals: a step planned before a withdrawal is skipped. */
  withdrawals = 0;
}

/**
 * Publishes discovery documents by owner: never two versions within seconds, removals in the steps that Home
 * Assistant needs. A removal stays open, over restarts too, until a hub known to run has processed it.
 */
export const discoveryPublisher = (
  publisher: RetainedPublisher,
  others: OtherBridges,
  store: KeyedStore,
  clock: Clock,
  signal: AbortSignal,
) => {
  const documents = publishedDocuments(store);
  const slots = new Map<string, DocumentSlot>();
  /** True from a hub's birth message until the hub may have stopped. */
  let isHubThere = false;
  let hubChanges = 0;
  let isOfferingAgain = false;

  /** True if an offer is published at once, before all later messages, because a version exists already. */
  const isFree = (owner: string): boolean => {
    const slot = slotOf(owner);
    return !slot.isRunning && documents.has(owner) && waitMs(slot) <= 0;
  };

  /** Removes all documents of an owner at once. */
  const withdraw = (owner: string): void => {
    const slot = slotOf(owner);
    Object.assign(slot, { make: undefined, ofOther: undefined, withdrawals: slot.withdrawals + 1 });
    const { former } = depart(owner, documents.shown(owner), []);
    publisher.assign(owner, []);
    documents.keep(owner, { shown: new Map(), ...(isHubThere ? { leaving: former } : {}) });
  };

  /** Another client removed or replaced a document: it is published again some seconds later. */
  const lost = (owner: string, topic: string): void => {
    if (publisher.topics.wanted.has(topic)) void offer(owner, { isLost: true, publishedMs: clock.elapsedMs() });
    else publisher.show(topic);
  };

  /** Publishes everything again: retries the devices that another bridge offered. */
  const offerAll = (news: Partial<Pick<DocumentSlot, 'publishedMs'>> = {}): void => {
    for (const [owner, { make, ofOther }] of slots) if (ofOther) void offer(owner, { ...news, make: make ?? ofOther });
  };

  /** The broker shows this on a discovery topic. If another bridge removed its document, the device is free. */
  const shown = (topic: string, payload: string): void => {
    others.shown(topic, payload);
    // Some seconds later: that bridge may publish it again.
    if (payload === '') offerAll({ publishedMs: clock.elapsedMs() });
  };

  /** Connected: another bridge may have removed its document meanwhile. */
  const connected = (): void => {
    others.connected();
    offerAll({ publishedMs: clock.elapsedMs() });
  };

  /** A hub has started: the documents are published again after some seconds. */
  const hubStarted = (): void => {
    isHubThere = true;
    if (isOfferingAgain) return;
    isOfferingAgain = true;
    later(clock, 1000 + 4000 * Math.random(), signal, () => {
      isOfferingAgain = false;
      for (const owner of new Set([...slots.keys(), ...documents.owners()])) offerAgain(owner);
    });
  };

  /** It is unknown whether a hub runs: it stopped, or the connection ended. */
  const hubLost = (): void => {
    isHubThere = false;
    hubChanges += 1;
  };

  const offerAgain = (owner: string): void => {
    const slot = slotOf(owner);
    if (slot.ofOther) return;
    if (documents.leaving(owner).size > 0) void offer(owner, { hubRestarted: true });
    // Another version is waiting, or was published just now.
    else if (slot.isRunning || waitMs(slot) > 0) void offer(owner, { isLost: true });
    else {
      publisher.showAll(owner);
      slot.publishedMs = clock.elapsedMs();
    }
  };

  /** Sets the next action for an owner's documents: done as soon as possible, skipping older versions. */
  const offer = async (owner: string, news: Partial<Omit<DocumentSlot, 'isRunning' | 'withdrawals'>>): Promise<void> => {
    const slot = Object.assign(slotOf(owner), news);
    if (slot.isRunning) return;
    slot.isRunning = true;
    try {
      while (slot.make || slot.hubRestarted || slot.isLost) await next(owner, slot);
    } catch (cause) {
      // After a stop, the next start does the rest.
      if (!signal.aborted) throw cause;
    } finally {
      slot.isRunning = false;
    }
  };

  const next = async (owner: string, slot: DocumentSlot): Promise<void> => {
    if (waitMs(slot) > 0) await clock.sleep(waitMs(slot), signal);
    if (!documents.has(owner)) await others.looked(owner);
    const { make, isAhead, hubRestarted, isLost, withdrawals } = slot;
    Object.assign(slot, { make: undefined, isAhead: false, hubRestarted: false, isLost: false });
    const before = documents.shown(owner);
    const wanted = make?.() ?? [...before].map(([topic, payload]) => ({ topic, payload, retain: true }));
    const main = wanted[0] && mainDocumentTopic(wanted[0].topic);
    slot.ofOther = main !== undefined && others.haveDevice(owner, main, before.get(main)) ? (make ?? (() => wanted)) : undefined;
    if (slot.ofOther) {
      publisher.abandon(owner);
      documents.keep(owner, { shown: new Map(), leaving: new Map() });
      return;
    }
    const { former, fresh, all } = depart(owner, before, wanted);
    const isBirth = hubRestarted && all.size > 0;
    const [hub, wasHubThere] = [hubChanges, isHubThere];
    // Unchanged documents too: the hub does not know them yet.
    if (isBirth || isLost) publisher.showAll(owner);
    const direct = isBirth ? [...handOver(before, wanted), ...stepsAtBirth(wanted, all)] : stepsTo(before, wanted, fresh);
    const { steps, topics, wider, presets } = followWords(direct, before, wanted);
    for (const [n, step] of steps.entries()) {
      if (n > 0) await clock.sleep(Math.max(0, waitMs(slot)), signal);
      const isLast = n === steps.length - 1;
      if (slot.withdrawals === withdrawals && isLast && topics.length > 0) {
        for (const topic of topics) publisher.show(topic);
        await publisher.taken(topics);
      }
      // The owner was withdrawn meanwhile.
      if (slot.withdrawals !== withdrawals) return;
      publisher.assign(owner, step);
      // Before the last step is sent: if the run stops then, the next run publishes only the wanted state.
      if (isLast) documents.keep(owner, { shown: textsOf(wanted) });
      // Otherwise the next step would replace one that still waits.
      await publisher.taken(step.map(({ topic }) => topic));
      slot.publishedMs = clock.elapsedMs();
    }
    // Including unsent documents that the broker holds from an earlier run.
    for (const text of textsOf(wanted).values()) text.compress();
    // Hubs dropped the values that arrived before the document allowed them.
    if (!isAhead) for (const topic of wider) publisher.show(topic);
    if (wasHubThere && hub === hubChanges && slot.withdrawals === withdrawals)
      documents.keep(owner, { leaving: isBirth ? new Map() : former });
    if (presets.length > 0) await clock.sleep(Math.max(0, waitMs(slot)), signal);
    if (slot.withdrawals === withdrawals) for (const topic of presets) publisher.show(topic);
  };

  /** In the publisher's form, so a large text is stored once. */
  const textsOf = (messages: readonly Message[]): ReadonlyMap<string, LargeText> =>
    new Map(
      messages.flatMap(({ topic }) => {
        const text = publisher.topics.wanted.get(topic);
        return text ? [[topic, text] as const] : [];
      }),
    );

  const waitMs = ({ publishedMs }: DocumentSlot): number => publishedMs + APART_MS - clock.elapsedMs();

  /** Records the entities to remove before a withdrawal: earlier ones, new ones, and both combined. */
  const depart = (owner: string, before: DocumentsByTopic, wanted: readonly Message[]) => {
    const fresh = leavingBetween(before, wanted);
    const former = stillLeaving(documents.leaving(owner), new Map(), wanted);
    const all = stillLeaving(former, fresh, wanted);
    documents.keep(owner, { leaving: all });
    return { former, fresh, all };
  };

  const slotOf = (owner: string): DocumentSlot => {
    const slot = slots.get(owner) ?? new DocumentSlot();
    slots.set(owner, slot);
    return slot;
  };

  return {
    others,
    /** True if an earlier run published documents. Their withdrawal needs birth messages. */
    get hasPublished(): boolean {
      return documents.owners().length > 0;
    },
    ...{ isFree, offer, withdraw, lost, offerAll, shown, connected, hubStarted, hubLost },
  };
};

export type DiscoveryPublisher = ReturnType<typeof discoveryPublisher>;
