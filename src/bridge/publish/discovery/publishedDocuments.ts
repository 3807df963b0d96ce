import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import type { DocumentsByTopic, Leaving } from '../../../homeassistant/documents/documentSteps.ts';
import type { KeyedStore } from '../../ports.ts';
import { LargeText } from '../broker/largeText.ts';
import { documentOwner } from '../broker/topicOwnership.ts';

/** Payloads by topic. */
const PAYLOADS = z.catch(z.record(z.string(), z.string()), {});
const ENTRY = z.catch(z.object({ shown: PAYLOADS, leaving: PAYLOADS }), { shown: {}, leaving: {} });

type Entry = { readonly shown: ReadonlyMap<string, LargeText>; readonly leaving: Leaving };

const NOTHING: Entry = { shown: new Map(), leaving: new Map() };

/** The documents offered, by owner, and the entities that hubs must still remove; kept over restarts. */
export const publishedDocuments = (store: KeyedStore) => {
  const rows = [...store.read()].filter(([owner]) => owner.startsWith(documentOwner('')));
  const entries = new Map(rows.map(([owner, row]) => [owner, entryOf(ENTRY.parse(row))]));
  const entry = (owner: string): Entry => entries.get(owner) ?? NOTHING;
  const shown = (owner: string): DocumentsByTopic => new Map(Array.from(entry(owner).shown, ([topic, { text }]) => [topic, text]));

  /** Sets what is offered (`shown`: shared texts) or what hubs must still remove (`leaving`). */
  const keep = (owner: string, change: Partial<Entry>): void => {
    const before = entry(owner);
    const now = { ...before, ...change };
    const isEmpty = now.shown.size === 0 && now.leaving.size === 0;
    if (isEmpty) entries.delete(owner);
    else entries.set(owner, now);
    if (isDeepStrictEqual(hashesOf(before), hashesOf(now))) return;
    store.write(owner, isEmpty ? undefined : { shown: Object.fromEntries(shown(owner)), leaving: Object.fromEntries(now.leaving) });
  };

  return {
    owners: (): string[] => [...entries.keys()],
    shown,
    leaving: (owner: string): Leaving => entry(owner).leaving,
    /** True if a document was offered. */
    has: (owner: string): boolean => entry(owner).shown.size > 0,
    keep,
  };
};

export type PublishedDocuments = ReturnType<typeof publishedDocuments>;

const entryOf = ({ shown, leaving }: z.infer<typeof ENTRY>): Entry => ({
  shown: new Map(Object.entries(shown).map(([topic, payload]) => [topic, new LargeText(payload)])),
  leaving: new Map(Object.entries(leaving)),
});

const hashesOf = ({ shown, leaving }: Entry): object => [new Map(Array.from(shown, ([topic, { hash }]) => [topic, hash])), leaving];
