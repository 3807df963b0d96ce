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

/** Runs tasks one at a time, in the order in which they are given. Each call settles as its task does. */
export const oneAtATime = (): (<T>(task: () => Promise<T>) => Promise<T>) => {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const turn = last.then(task);
    last = turn.catch(() => undefined);
    return turn;
  };
};
