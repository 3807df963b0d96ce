/** One API call. `at`: epoch ms; `path` with its query; `status` 0 if no status was sent (hung or cut). */
export type Call = { readonly at: number; readonly method: string; readonly path: string; readonly status: number; readonly body?: string };

/** The number of calls by method and path (without query), and in total. */
export type Counts = { readonly total: number; readonly counts: Readonly<Record<string, number>> };

/** A longer log drops its oldest calls; the counts include them. */
const LONGEST = 10_000;

/** The calls since the last reset. */
export class Calls {
  #calls: Call[] = [];
  #counts = new Map<string, number>();
  #total = 0;

  add(call: Call): void {
    const name = `${call.method} ${call.path.split('?', 1)[0]}`;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    this.#total++;
    this.#calls.push(call);
    if (this.#calls.length > 2 * LONGEST) this.#calls = this.#calls.slice(-LONGEST);
  }

  list(): readonly Call[] {
    return [...this.#calls];
  }

  counts(): Counts {
    return { total: this.#total, counts: Object.fromEntries(this.#counts) };
  }

  reset(): void {
    this.#calls = [];
    this.#counts.clear();
    this.#total = 0;
  }
}
