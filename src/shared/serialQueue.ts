/** Runs tasks one at a time for each key, in the order of `add`. */
export class SerialQueue {
  readonly #lastByKey = new Map<string, Promise<void>>();

  /** Resolves when `work` is done. `work` must not reject. */
  add(key: string, work: () => Promise<void>): Promise<void> {
    const turn = (this.#lastByKey.get(key) ?? Promise.resolve()).then(work);
    this.#lastByKey.set(key, turn);
    void turn.then(() => {
      if (this.#lastByKey.get(key) === turn) this.#lastByKey.delete(key);
    });
    return turn;
  }

  /** Resolves when no task is left, including tasks added meanwhile. */
  async idle(): Promise<void> {
    while (this.#lastByKey.size > 0) await Promise.all(this.#lastByKey.values());
  }
}

/** Turns that come one after the other, in the order in which they are asked for. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when the turn begins, with what ends it. */
  async next(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    return resolve;
  }
}

/** Runs tasks one at a time, in the order in which they are given. Each call settles as its task does. */
export const oneAtATime = (): (<T>(task: () => Promise<T>) => Promise<T>) => {
  const turns = new Turns();
  return async (task) => {
    const end = await turns.next();
    try {
      return await task();
    } finally {
      end();
    }
  };
};
