import type { Language } from './language.ts';

/** A text, or a sentence with facts, in English and German. */
type Pair<T> = readonly [en: T, de: T];
type Rows = { readonly [key: string]: Pair<unknown> | Rows };

/** The texts of a table in one language. A German sentence with other facts than the English is `never`. */
type Texts<R> = {
  readonly [K in keyof R]: R[K] extends Pair<string>
    ? string
    : R[K] extends Pair<readonly string[]>
      ? readonly string[]
      : R[K] extends readonly [infer T, infer German]
        ? German extends T
          ? T
          : never
        : Texts<R[K]>;
};

const column = (rows: Rows, at: 0 | 1): object =>
  Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, Array.isArray(row) ? row[at] : column(row as Rows, at)]));

/** Texts for lookups by external words, which may be unknown. */
export const dictionary = (rows: Readonly<Record<string, Pair<string>>>): Pair<Readonly<Record<string, string>>> =>
  [column(rows, 0), column(rows, 1)] as Pair<object> as Pair<Readonly<Record<string, string>>>;

/** A table of texts by language; each row has both languages. */
export const textsOf = <const R extends Rows>(rows: R): Readonly<Record<Language, Texts<R>>> => ({
  en: column(rows, 0) as Texts<R>,
  de: column(rows, 1) as Texts<R>,
});
