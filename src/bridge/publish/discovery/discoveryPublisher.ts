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
  /** Called when they are published, with the topics of values for which they have got room. */
  published: ((wider: readonly string[]) => void) | undefined;
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
export const discoveryPublisher = (
  publisher: RetainedPublisher,
  others: OtherBridges,
  store: KeyedStore,
  clock: Clock,
  signal: AbortSignal,
) => {
  const publishedDocuments = new PublishedDocuments(store);
  const slots = new Map<string, DocumentSlot>();
  /** True from a hub's birth message on, as long as it surely runs. */
  let isHubThere = false;
  let hubChanges = 0;
  let isOfferingAgain = false;

  /** True where what is offered now is published at once, before whatever is published next, as there is a version already. */
  const isFree = (owner: string): boolean => {
    const slot = slotOf(owner);
    return !slot.isRunning && slot.wanted?.length !== 0 && waitMs(slot) <= 0;
  };

  /** These documents from now on, at once or as soon as possible; versions in between are left out. `published` is called when they are. */
  const offer = (owner: string, make: () => readonly Message[], published?: DocumentSlot['published']): void => {
    Object.assign(slotOf(owner), { make, published });
    void run(owner);
  };

  /** Removes all documents of an owner at once. */
  const withdraw = (owner: string): void => {
    const slot = slotOf(owner);
    Object.assign(slot, { make: undefined, published: undefined, wanted: [], withdrawals: slot.withdrawals + 1 });
    const { former } = depart(owner, []);
    publisher.assign(owner, []);
    publishedDocuments.keep(owner, { shown: [] });
    if (isHubThere) publishedDocuments.keep(owner, { leaving: former });
  };

  /** Another client has removed or replaced a document: it is published once more, seconds after that. */
  const lost = (owner: string, topic: string): void => {
    if (publisher.topics.wanted.has(topic)) {
      Object.assign(slotOf(owner), { isLost: true, publishedMs: clock.elapsedMs() });
      void run(owner);
    } else publisher.show(topic);
  };

  /** Everything is published again: tries again to offer the devices that another bridge had. */
  const offerAll = (): void => {
    for (const [owner, slot] of slots) {
      if (!slot.isOfOther) continue;
      slot.make ??= () => wantedOf(owner, slot);
      void run(owner);
    }
  };

  /** A hub has started: after some seconds the documents are published for it again. */
  const hubBorn = (): void => {
    isHubThere = true;
    if (isOfferingAgain) return;
    isOfferingAgain = true;
    clock.sleep(1000 + 4000 * Math.random(), signal).then(
      () => {
        isOfferingAgain = false;
        for (const owner of new Set([...slots.keys(), ...publishedDocuments.owners()])) offerAgain(owner);
      },
      () => undefined,
    );
  };

  /** It is unknown whether a hub runs: it has stopped, or the connection has ended. */
  const hubLost = (): void => {
    isHubThere = false;
    hubChanges += 1;
  };

  const offerAgain = (owner: string): void => {
    const slot = slotOf(owner);
    if (publishedDocuments.leaving(owner).size > 0) {
      slot.hubRestarted = true;
      void run(owner);
    } else if (slot.isRunning || waitMs(slot) > 0) {
      // Another version waits for its time, or was published just now.
      slot.isLost = true;
      void run(owner);
    } else {
      publisher.showAll(owner);
      slot.publishedMs = clock.elapsedMs();
    }
  };

  const run = async (owner: string): Promise<void> => {
    const slot = slotOf(owner);
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
    const { make, published, hubRestarted, isLost, withdrawals } = slot;
    Object.assign(slot, { make: undefined, published: undefined, hubRestarted: false, isLost: false });
    const wanted = make?.() ?? wantedOf(owner, slot);
    slot.wanted = wanted;
    const before = publishedDocuments.shown(owner);
    const main = wanted[0] && mainDocumentTopic(wanted[0].topic);
    slot.isOfOther = main !== undefined && others.haveDevice(owner, main, before.get(main));
    if (slot.isOfOther) {
      publisher.abandon(owner);
      publishedDocuments.keep(owner, { shown: [], leaving: new Map() });
      return;
    }
    const { former, fresh, all } = depart(owner, wanted);
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
      // Before the last step is under way: after a stop in the midst of it the next run only publishes what is wanted.
      if (isLast) publishedDocuments.keep(owner, { shown: wanted });
      publisher.assign(owner, step);
      // A step that still waits would be left out when the next one comes.
      await publisher.taken(step.map(({ topic }) => topic));
      slot.publishedMs = clock.elapsedMs();
    }
    if (steps.length > 0 && wanted.length > 0) {
      slot.wanted = undefined;
      publishedDocuments.share(owner, (topic) => publisher.topics.wanted.get(topic));
    }
    published?.(wider);
    if (wasHubThere && hub === hubChanges && slot.withdrawals === withdrawals)
      publishedDocuments.keep(owner, { leaving: isBirth ? new Map() : former });
  };

  const wantedOf = (owner: string, { wanted }: DocumentSlot): readonly Message[] =>
    wanted ?? [...publishedDocuments.shown(owner)].map(([topic, payload]) => ({ topic, payload, retain: true }));

  const waitMs = ({ publishedMs }: DocumentSlot): number => publishedMs + APART_MS - clock.elapsedMs();

  /** Notes which entities are removed, before anything is withdrawn. */
  const depart = (owner: string, wanted: readonly Message[]): Departures => {
    const fresh = leavingBetween(publishedDocuments.shown(owner), wanted);
    const former = stillLeaving(publishedDocuments.leaving(owner), new Map(), wanted);
    const all = stillLeaving(former, fresh, wanted);
    publishedDocuments.keep(owner, { leaving: all });
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
      return publishedDocuments.owners().length > 0;
    },
    ...{ isFree, offer, withdraw, lost, offerAll, hubBorn, hubLost },
  };
};

export type DiscoveryPublisher = ReturnType<typeof discoveryPublisher>;
