/**
 * English and German texts for levels of platform names. `a.b`: levels, `N`: an index, `*`: any level, `/p`:
 * the final property or command, `/p?`: also the feature itself, `dhw:`: only below that part. `{N}`: the
 * index from 1, `{*}`: the words of the level. The longest match applies.
 */
export type Phrases = Readonly<Record<string, readonly [en: string, de: string]>>;
