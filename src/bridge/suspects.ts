/** Brokers are known that take no more than 8 kB (reference/brokers.md §2.4); what is much smaller is never to blame. */
const SUSPECT_LENGTH = 1000;

/**
 * Finds the message at which a broker drops the connection without a word, as some do where one is too long for them. What was under
 * way when the connection fell is suspect and is sent alone the next time; what makes it fall again then is left out.
 */
export class Suspects {
  readonly #suspects = new Set<string>();
  readonly #guilty = new Map<string, string>();

  /** The connection fell with this message under way; true where that makes it certain. */
  fell(topic: string, payload: string, alone: boolean): boolean {
    if (payload.length < SUSPECT_LENGTH) return false;
    const certain = this.#suspects.delete(topic) && alone;
    if (certain) this.#guilty.set(topic, payload);
    else this.#suspects.add(topic);
    return certain;
  }

  /** The broker took a message on this topic. */
  taken(topic: string): void {
    this.#suspects.delete(topic);
    this.#guilty.delete(topic);
  }

  isSuspect(topic: string): boolean {
    return this.#suspects.has(topic);
  }

  isGuilty(topic: string, payload: string): boolean {
    return this.#guilty.get(topic) === payload;
  }

  /** Everything is tried again. */
  forgive(): void {
    this.#suspects.clear();
    this.#guilty.clear();
  }
}
