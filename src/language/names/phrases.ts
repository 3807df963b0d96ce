/**
 * Texts in English and German for levels of the platform's names. `a.b` are levels, `N` is an index, `*` any level, `/p` the property or
 * command after the last level, `/p?` that and the feature itself, and `dhw:` the part below which alone the row counts. `{N}` is the index counted from 1, `{*}` the words of
 * the level. The longest row that fits counts.
 */
export type Phrases = Readonly<Record<string, readonly [en: string, de: string]>>;
