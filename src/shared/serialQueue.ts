/** Work that goes one piece at a time under each key, in its order. */
export class SerialQueue {
  readonly #last = new Map<string, Promise<void>>();

  /** `work` must not reject. Resolves when it is done. */
  add(key: string, work: () => Promise<void>): Promise<void> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work);
    this.#last.set(key, turn);
    void turn.then(() => {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    });
    return turn;
  }

  /** Resolves when there is no work left, that of the meantime included. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values());
  }
}
