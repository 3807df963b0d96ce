import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import type { DocumentsByTopic, Leaving } from '../../../homeassistant/documents/documentSteps.ts';
import type { Message } from '../../../shared/message.ts';
import type { KeyedStore } from '../../ports.ts';
import { documentOwner } from '../broker/topicOwnership.ts';

/** Payloads by topic. */
const PAYLOADS = z.catch(z.record(z.string(), z.string()), {});
const ENTRY = z.catch(z.object({ shown: PAYLOADS, leaving: PAYLOADS }), { shown: {}, leaving: {} });

type Entry = z.infer<typeof ENTRY>;

/** What was offered by discovery, by owner, and the entities that hubs still have to remove; kept over restarts. */
export class PublishedDocuments {
  readonly #store: KeyedStore;
  readonly #entries: Map<string, Entry>;

  constructor(store: KeyedStore) {
    this.#store = store;
    const entries = [...store.read()].filter(([owner]) => owner.startsWith(documentOwner('')));
    this.#entries = new Map(entries.map(([owner, entry]) => [owner, ENTRY.parse(entry)]));
  }

  owners(): string[] {
    return [...this.#entries.keys()];
  }

  shown(owner: string): DocumentsByTopic {
    return new Map(Object.entries(this.#entries.get(owner)?.shown ?? {}));
  }

  leaving(owner: string): Leaving {
    return new Map(Object.entries(this.#entries.get(owner)?.leaving ?? {}));
  }

  /** What is offered from now on (`shown`), or what hubs still have to remove from now on (`leaving`). */
  keep(owner: string, { shown, leaving }: { readonly shown?: readonly Message[]; readonly leaving?: Leaving }): void {
    const change = {
      ...(shown ? { shown: Object.fromEntries(shown.map(({ topic, payload }) => [topic, payload])) } : {}),
      ...(leaving ? { leaving: Object.fromEntries(leaving) } : {}),
    };
    const before = this.#entries.get(owner) ?? { shown: {}, leaving: {} };
    const entry = { ...before, ...change };
    if (isDeepStrictEqual(before, entry)) return;
    const isEmpty = Object.keys({ ...entry.shown, ...entry.leaving }).length === 0;
    if (isEmpty) this.#entries.delete(owner);
    else this.#entries.set(owner, entry);
    this.#store.write(owner, isEmpty ? undefined : entry);
  }
}
