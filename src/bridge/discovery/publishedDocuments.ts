import type { Leaving } from '../../homeassistant/documentSteps.ts';
import { isRecord } from '../../shared/json.ts';
import type { Message } from '../../shared/message.ts';
import type { KeyedStore } from '../ports.ts';

type Page = { shown: ReadonlyMap<string, string>; leaving: Leaving };

const textsOf = (value: unknown): ReadonlyMap<string, string> =>
  new Map(isRecord(value) ? Object.entries(value).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text] as const] : [])) : []);

const isSame = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a.size === b.size && [...a].every(([key, text]) => b.get(key) === text);

/** What was offered by discovery, by owner and topic, and the entities that hubs still have to remove; kept over restarts. */
export class PublishedDocuments {
  readonly #store: KeyedStore;
  readonly #pages: Map<string, Page>;

  constructor(store: KeyedStore) {
    this.#store = store;
    this.#pages = new Map(
      [...store.read()].flatMap(([owner, page]) =>
        isRecord(page) ? [[owner, { shown: textsOf(page.shown), leaving: textsOf(page.leaving) }]] : [],
      ),
    );
  }

  owners(): string[] {
    return [...this.#pages.keys()];
  }

  shown(owner: string): ReadonlyMap<string, string> {
    return this.#pages.get(owner)?.shown ?? new Map();
  }

  leaving(owner: string): Leaving {
    return this.#pages.get(owner)?.leaving ?? new Map();
  }

  show(owner: string, messages: readonly Message[]): void {
    this.#keep(owner, { shown: new Map(messages.map(({ topic, payload }) => [topic, payload])), leaving: this.leaving(owner) });
  }

  leave(owner: string, leaving: Leaving): void {
    this.#keep(owner, { shown: this.shown(owner), leaving });
  }

  /** These have left. */
  left(owner: string, gone: Leaving): void {
    this.leave(owner, new Map([...this.leaving(owner)].filter(([topic]) => !gone.has(topic))));
  }

  #keep(owner: string, page: Page): void {
    const before = this.#pages.get(owner) ?? { shown: new Map(), leaving: new Map() };
    if (isSame(before.shown, page.shown) && isSame(before.leaving, page.leaving)) return;
    const isEmpty = page.shown.size + page.leaving.size === 0;
    if (isEmpty) this.#pages.delete(owner);
    else this.#pages.set(owner, page);
    const { shown, leaving } = page;
    this.#store.write(owner, isEmpty ? undefined : { shown: Object.fromEntries(shown), leaving: Object.fromEntries(leaving) });
  }
}
