import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import type { Leaving } from '../../homeassistant/documents/documentSteps.ts';
import type { Message } from '../../shared/message.ts';
import type { KeyedStore } from '../ports.ts';
import { documentOwner } from '../publishing/topicOwnership.ts';

/** Payloads by topic. */
const PAYLOADS = z.catch(z.record(z.string(), z.string()), {});
const PAGE = z.catch(z.object({ shown: PAYLOADS, leaving: PAYLOADS }), { shown: {}, leaving: {} });

type Page = z.infer<typeof PAGE>;

/** What was offered by discovery, by owner and topic, and the entities that hubs still have to remove; kept over restarts. */
export class PublishedDocuments {
  readonly #store: KeyedStore;
  readonly #pages: Map<string, Page>;

  constructor(store: KeyedStore) {
    this.#store = store;
    const pages = [...store.read()].filter(([owner]) => owner.startsWith(documentOwner('')));
    this.#pages = new Map(pages.map(([owner, page]) => [owner, PAGE.parse(page)]));
  }

  owners(): string[] {
    return [...this.#pages.keys()];
  }

  shown(owner: string): ReadonlyMap<string, string> {
    return new Map(Object.entries(this.#pages.get(owner)?.shown ?? {}));
  }

  leaving(owner: string): Leaving {
    return new Map(Object.entries(this.#pages.get(owner)?.leaving ?? {}));
  }

  show(owner: string, messages: readonly Message[]): void {
    this.#keep(owner, { shown: Object.fromEntries(messages.map(({ topic, payload }) => [topic, payload])) });
  }

  leave(owner: string, leaving: Leaving): void {
    this.#keep(owner, { leaving: Object.fromEntries(leaving) });
  }

  /** These have left. */
  left(owner: string, gone: Leaving): void {
    this.leave(owner, new Map([...this.leaving(owner)].filter(([topic]) => !gone.has(topic))));
  }

  #keep(owner: string, change: Partial<Page>): void {
    const before = this.#pages.get(owner) ?? { shown: {}, leaving: {} };
    const page = { ...before, ...change };
    if (isDeepStrictEqual(before, page)) return;
    const isEmpty = Object.keys({ ...page.shown, ...page.leaving }).length === 0;
    if (isEmpty) this.#pages.delete(owner);
    else this.#pages.set(owner, page);
    this.#store.write(owner, isEmpty ? undefined : page);
  }
}
