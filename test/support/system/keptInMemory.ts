import type { Journal, Memory, MemoryLine, TemporaryStore, UndoStore } from '../../../src/bridge/ports.ts';

/** One run of the bridge, which can be killed: from then on nothing of it reaches the outside. */
export type Process = {
  readonly kill: () => void;
  readonly isAlive: () => boolean;
  /** The same port, whose methods never answer a killed process. */
  readonly port: <T extends object>(port: T) => T;
};

export const switchable = (): Process => {
  let alive = true;
  const never = (): Promise<never> => new Promise(() => undefined);
  return {
    kill: () => {
      alive = false;
    },
    isAlive: () => alive,
    port: (port) =>
      new Proxy(port, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          return async (...given: unknown[]): Promise<unknown> => {
            if (!alive) return never();
            const answer: unknown = await value.apply(target, given);
            return alive ? answer : never();
          };
        },
      }),
  };
};

type Entry = { readonly write: object; accepted: boolean; answered: boolean; settled: boolean };

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** What a bridge keeps over its runs, in memory: a killed run keeps nothing more. */
export class KeptInMemory {
  readonly #lines = new Map<string, MemoryLine>();
  readonly #journal = new Map<number, Entry>();
  #undo: object | undefined;
  #temporaries: object | undefined;
  #key = 0;

  open({ isAlive }: Pick<Process, 'isAlive'>): { journal: Journal; memory: Memory; undo: UndoStore; temporaries: TemporaryStore } {
    const mark = (key: number, how: 'accepted' | 'answered' | 'settled'): void => {
      const entry = isAlive() ? this.#journal.get(key) : undefined;
      if (entry) entry[how] = true;
      if (entry?.answered && entry.settled) this.#journal.delete(key);
    };
    return {
      journal: {
        left: copied(this.#journal),
        begin: (write) => {
          this.#key += 1;
          if (isAlive()) this.#journal.set(this.#key, { write: copy(write), accepted: false, answered: false, settled: false });
          return this.#key;
        },
        accepted: (key) => mark(key, 'accepted'),
        answered: (key) => mark(key, 'answered'),
        settled: (key) => mark(key, 'settled'),
      },
      memory: {
        lines: copy([...this.#lines.values()]),
        write: (lines) => {
          for (const line of isAlive() ? lines : [])
            this.#lines.set(JSON.stringify([line.is, line.device, 'name' in line && line.name]), copy(line));
        },
      },
      undo: {
        read: () => structuredClone(this.#undo),
        write: (value) => {
          if (isAlive()) this.#undo = copy({ version: 1, ...value });
          return true;
        },
      },
      temporaries: {
        read: () => structuredClone(this.#temporaries),
        write: (value) => {
          if (isAlive()) this.#temporaries = copy({ version: 1, ...value });
          return true;
        },
      },
    };
  }
}

const copied = (entries: ReadonlyMap<number, Entry>): ReadonlyMap<number, Entry> =>
  new Map([...entries].map(([key, entry]) => [key, copy(entry)]));
