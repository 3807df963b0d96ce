/** Serial turns for each key, in the order of the requests. */
export class SerialQueue {
  readonly #lastByKey = new Map<string, Promise<void>>();

  /** Resolves when the turn begins, with the function that ends it. */
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

  /** Resolves when no turn is left, including turns that are requested in the meantime. */
  async idle(): Promise<void> {
    while (this.#lastByKey.size > 0) await Promise.all(this.#lastByKey.values());
  }
}

/** Runs tasks one at a time, in call order. Each call settles with its task. */
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
