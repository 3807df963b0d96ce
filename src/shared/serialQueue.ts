/** Turns that come one after the other for each key, in the order in which they are asked for. */
export class SerialQueue {
  readonly #lastByKey = new Map<string, Promise<void>>();

  /** Resolves when the turn begins, with what ends it. */
  async turn(key = ''): Promise<() => void> {
    const before = this.#lastByKey.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lastByKey.set(key, promise);
    await before;
    return () => {
      if (this.#lastByKey.get(key) === promise) this.#lastByKey.delete(key);
      resolve();
    };
  }

  /** Resolves when no turn is left, including those that are asked for meanwhile. */
  async idle(): Promise<void> {
    while (this.#lastByKey.size > 0) await Promise.all(this.#lastByKey.values());
  }
}

/** Runs tasks one at a time, in the order in which they are given. Each call settles as its task does. */
export const oneAtATime = (): (<T>(task: () => Promise<T>) => Promise<T>) => {
  const queue = new SerialQueue();
  return async (task) => {
    const end = await queue.turn();
    try {
      return await task();
    } finally {
      end();
    }
  };
};
