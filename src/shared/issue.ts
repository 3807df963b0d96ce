/** One broken rule in something a person sent or wrote: where, which rule, and what would be right. */
export type Issue = {
  /** JSON pointer into what was sent (`/mon/1/end`), `line:column` for text, or a settings key. */
  readonly path: string;
  /** Machine-readable name of the rule, e.g. `resolution`. */
  readonly rule: string;
  /** One sentence for people: what is wrong and what would be right. */
  readonly message: string;
  readonly got?: unknown;
  /** What is allowed, where it can be listed. */
  readonly allowed?: unknown;
  /** The nearest right values. */
  readonly nearest?: readonly unknown[];
};

/** The answer of a check that also gives a meaning: the meaning, or every broken rule. */
export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly issues: readonly Issue[] };

export const good = <T>(value: T): Checked<T> => ({ ok: true, value });
export const bad = (...issues: readonly Issue[]): Checked<never> => ({ ok: false, issues });

/** `/` and `~` escaped as RFC 6901 says, so that a pointer can be built from any key. */
export const pointer = (...keys: readonly (string | number)[]): string =>
  keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
