import { digest } from './topicOwnership.ts';

/** So often a connection falls with a message alone under way before it is left out. */
const FALLS = 2;
/** More are never under way at one time; what is forgotten is found again. */
const MOST_CASES = 1000;

type Case = {
  /** How often the connection fell with a message of this topic alone under way. */
  falls: number;
  /** The message that is left out. */
  leftOut: { readonly hash: string; readonly bytes: number } | undefined;
  /** It was tried once more after the connection had proved good. */
  retried: boolean;
};

/**
 * Finds the message at which a broker drops the connection, as some do where a message is too long for them or its topic is none that they
 * take. What was under way when the connection fell is suspect and is sent alone from then on; where the connection falls twice with it
 * alone under way it is left out. Since brokers also fall for other reasons, it is tried once more when the connection has proved good.
 */
export class OversizedMessages {
  readonly #cases = new Map<string, Case>();

  /**
   * The connection fell with this message under way. `certain`: it is left out from now on; `known`: again, as it was before.
   */
  fell(topic: string, payload: string, alone: boolean): 'suspect' | 'certain' | 'known' {
    const known = this.#cases.get(topic);
    const one = known ?? { falls: 0, leftOut: undefined, retried: false };
    this.#cases.delete(topic);
    this.#cases.set(topic, one);
    for (const oldest of this.#cases.keys()) {
      if (this.#cases.size <= MOST_CASES) break;
      this.#cases.delete(oldest);
    }
    if (alone) one.falls += 1;
    if (!alone || one.falls < FALLS) return 'suspect';
    one.leftOut = { hash: digest(payload), bytes: Buffer.byteLength(payload) };
    return one.falls === FALLS ? 'certain' : 'known';
  }

  /** The broker took a message on this topic. */
  taken(topic: string): void {
    this.#cases.delete(topic);
  }

  /** True where a message on this topic goes out alone. */
  isSuspect(topic: string): boolean {
    return this.#cases.has(topic);
  }

  /** True where this retained message is left out; another payload is tried. */
  isLeftOut(topic: string, payload: string): boolean {
    const leftOut = this.#cases.get(topic)?.leftOut;
    return leftOut !== undefined && leftOut.hash === digest(payload);
  }

  /** True where an answer on this topic is left out: no two are alike, so a shorter one is tried. */
  isAnswerLeftOut(topic: string, payload: string): boolean {
    const leftOut = this.#cases.get(topic)?.leftOut;
    return leftOut !== undefined && Buffer.byteLength(payload) >= leftOut.bytes;
  }

  /** The connection has proved good: gives the topics whose message may be tried once more. */
  proved(): string[] {
    const retried = [...this.#cases].filter(([, { leftOut, retried: before }]) => leftOut !== undefined && !before);
    for (const [, one] of retried) Object.assign(one, { leftOut: undefined, retried: true });
    return retried.map(([topic]) => topic);
  }

  /** Everything is tried again. */
  forgive(): void {
    this.#cases.clear();
  }
}
