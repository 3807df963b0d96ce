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

/** Home Assistant skips components of a document that follows another one within seconds. */
export const APART_MS = 5000;

/** The documents of an owner, and what is to be done with them next. */
class DocumentSlot {
  /** Makes the documents at the moment they are published. */
  make: (() => readonly Message[]) | undefined;
  /** The values for which they have got room follow them. */
  isAhead = false;
  /** Makes them where another bridge offers the device. */
  ofOther: (() => readonly Message[]) | undefined;
  publishedMs = Number.NEGATIVE_INFINITY;
  /** A hub has started, to which removed entities have to be shown. */
  hubRestarted = false;
  /** Another client has changed or removed what was published. */
  isLost = false;
  isRunning = false;
  /** Counts withdrawals: steps that were planned before one are not taken any more. */
  withdrawals = 0;
}

/**
 * Publishes the discovery documents by owner: never two versions within seconds, and what is removed in the steps that Home Assistant
 * needs. A removal stays open, over restarts too, until a hub took part in it that had started before.
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
  /** True from a hub's birth message on, as long as it surely runs. */
  let isHubThere = false;
  let hubChanges = 0;
  let isOfferingAgain = false;

  /** True where what is offered now is published at once, before whatever is published next, as there is a version already. */
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

  /** Another client has removed or replaced a document: it is published once more, seconds after that. */
  const lost = (owner: string, topic: string): void => {
    if (publisher.topics.wanted.has(topic)) void offer(owner, { isLost: true, publishedMs: clock.elapsedMs() });
    else publisher.show(topic);
  };

  /** Everything is published again: tries again to offer the devices that another bridge had. */
  const offerAll = (): void => {
    for (const [owner, { make, ofOther }] of slots) if (ofOther) void offer(owner, { make: make ?? ofOther });
  };

  /** A hub has started: after some seconds the documents are published for it again. */
  const hubStarted = (): void => {
    isHubThere = true;
    if (isOfferingAgain) return;
    isOfferingAgain = true;
    later(clock, 1000 + 4000 * Math.random(), signal, () => {
      isOfferingAgain = false;
      for (const owner of new Set([...slots.keys(), ...documents.owners()])) offerAgain(owner);
    });
  };

  /** It is unknown whether a hub runs: it has stopped, or the connection has ended. */
  const hubLost = (): void => {
    isHubThere = false;
    hubChanges += 1;
  };

  const offerAgain = (owner: string): void => {
    const slot = slotOf(owner);
    if (slot.ofOther) return;
    if (documents.leaving(owner).size > 0) void offer(owner, { hubRestarted: true });
    // Another version waits for its time, or was published just now.
    else if (slot.isRunning || waitMs(slot) > 0) void offer(owner, { isLost: true });
    else {
      publisher.showAll(owner);
      slot.publishedMs = clock.elapsedMs();
    }
  };

  /** What is to be done with the documents of an owner: `make` them from now on; at once or as soon as possible, without the versions in between. */
  const offer = async (owner: string, news: Partial<Omit<DocumentSlot, 'isRunning' | 'withdrawals'>>): Promise<void> => {
    const slot = Object.assign(slotOf(owner), news);
    if (slot.isRunning) return;
    slot.isRunning = true;
    try {
      while (slot.make || slot.hubRestarted || slot.isLost) await next(owner, slot);
    } catch (cause) {
      // At a stop what is left to do is done after the next start.
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
    // Also what stays as it is: the hub does not know it yet.
    if (isBirth || isLost) publisher.showAll(owner);
    const direct = isBirth ? [...handOver(before, wanted), ...stepsAtBirth(wanted, all)] : stepsTo(before, wanted, fresh);
    const { steps, topics, wider } = followWords(direct, before, wanted);
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
      // Before the last step is under way: after a stop in the midst of it the next run only publishes what is wanted.
      if (isLast) documents.keep(owner, { shown: textsOf(wanted) });
      // A step that still waits would be left out when the next one comes.
      await publisher.taken(step.map(({ topic }) => topic));
      slot.publishedMs = clock.elapsedMs();
    }
    // Also what the broker has since an earlier run, and which was not sent.
    for (const text of textsOf(wanted).values()) text.compress();
    // Hubs have dropped those that came before their document had room.
    if (!isAhead) for (const topic of wider) publisher.show(topic);
    if (wasHubThere && hub === hubChanges && slot.withdrawals === withdrawals)
      documents.keep(owner, { leaving: isBirth ? new Map() : former });
  };

  /** As the publisher has them: a large text is kept once. */
  const textsOf = (messages: readonly Message[]): ReadonlyMap<string, LargeText> =>
    new Map(
      messages.flatMap(({ topic }) => {
        const text = publisher.topics.wanted.get(topic);
        return text ? [[topic, text] as const] : [];
      }),
    );

  const waitMs = ({ publishedMs }: DocumentSlot): number => publishedMs + APART_MS - clock.elapsedMs();

  /** Notes which entities are removed, before anything is withdrawn: those of earlier, those since the last version, and both together. */
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
    /** True where an earlier run has published documents, which may have to be withdrawn: birth messages are needed for that. */
    get hasPublished(): boolean {
      return documents.owners().length > 0;
    },
    ...{ isFree, offer, withdraw, lost, offerAll, hubStarted, hubLost },
  };
};

export type DiscoveryPublisher = ReturnType<typeof discoveryPublisher>;
