import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import type { DocumentsByTopic, Leaving } from '../../../homeassistant/documents/documentSteps.ts';
import type { Message } from '../../../shared/message.ts';
import type { KeyedStore } from '../../ports.ts';
import { LargeText } from '../broker/largeText.ts';
import { documentOwner } from '../broker/topicOwnership.ts';

/** Payloads by topic. */
const PAYLOADS = z.catch(z.record(z.string(), z.string()), {});
const ENTRY = z.catch(z.object({ shown: PAYLOADS, leaving: PAYLOADS }), { shown: {}, leaving: {} });

type Entry = { readonly shown: ReadonlyMap<string, LargeText>; readonly leaving: Leaving };

const NOTHING: Entry = { shown: new Map(), leaving: new Map() };

/** What was offered by discovery, by owner, and the entities that hubs still have to remove; kept over restarts. */
export class PublishedDocuments {
  readonly #store: KeyedStore;
  readonly #entries: Map<string, Entry>;

  constructor(store: KeyedStore) {
    this.#store = store;
    const entries = [...store.read()].filter(([owner]) => owner.startsWith(documentOwner('')));
    this.#entries = new Map(entries.map(([owner, entry]) => [owner, entryOf(ENTRY.parse(entry))]));
  }

  owners(): string[] {
    return [...this.#entries.keys()];
  }

  shown(owner: string): DocumentsByTopic {
    return new Map(Array.from(this.#entry(owner).shown, ([topic, { text }]) => [topic, text]));
  }

  leaving(owner: string): Leaving {
    return this.#entry(owner).leaving;
  }

  /** What is offered from now on (`shown`), or what hubs still have to remove from now on (`leaving`). */
  keep(owner: string, { shown, leaving }: { readonly shown?: readonly Message[]; readonly leaving?: Leaving }): void {
    const before = this.#entry(owner);
    const entry = { shown: shown ? textsOf(shown, before.shown) : before.shown, leaving: leaving ?? before.leaving };
    if (isDeepStrictEqual(hashesOf(before), hashesOf(entry))) return;
    const isEmpty = entry.shown.size === 0 && entry.leaving.size === 0;
    if (isEmpty) this.#entries.delete(owner);
    else this.#entries.set(owner, entry);
    this.#store.write(
      owner,
      isEmpty ? undefined : { shown: Object.fromEntries(this.shown(owner)), leaving: Object.fromEntries(entry.leaving) },
    );
  }

  /** The publisher has the same texts: each is kept once. */
  share(owner: string, textOf: (topic: string) => LargeText | undefined): void {
    const { shown, leaving } = this.#entry(owner);
    const same = ([topic, text]: readonly [string, LargeText]): [string, LargeText] => {
      const other = textOf(topic);
      return [topic, other?.hash === text.hash ? other : text];
    };
    if (shown.size > 0) this.#entries.set(owner, { shown: new Map([...shown].map(same)), leaving });
  }

  #entry(owner: string): Entry {
    return this.#entries.get(owner) ?? NOTHING;
  }
}

const entryOf = ({ shown, leaving }: z.infer<typeof ENTRY>): Entry => ({
  shown: new Map(Object.entries(shown).map(([topic, payload]) => [topic, new LargeText(payload)])),
  leaving: new Map(Object.entries(leaving)),
});

/** The texts of these documents, those of before where they are the same. */
const textsOf = (documents: readonly Message[], before: Entry['shown']): Entry['shown'] =>
  new Map(
    documents.map(({ topic, payload }) => {
      const known = before.get(topic);
      return [topic, known?.is(payload) ? known : new LargeText(payload)];
    }),
  );

const hashesOf = ({ shown, leaving }: Entry): object => [new Map(Array.from(shown, ([topic, { hash }]) => [topic, hash])), leaving];
