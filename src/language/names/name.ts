import type { Language } from '../language.ts';
import { ENERGY } from './energy.ts';
import { EQUIPMENT } from './equipment.ts';
import { GENERATORS } from './generator.ts';
import { HEATING } from './heating.ts';
import { partWords } from './parts.ts';
import type { Phrases } from './phrases.ts';
import { levelWords, tokensWithoutGerman } from './words.ts';

/** `burner/active?` is a row for the property and for the feature itself. */
const keysOf = (written: string): readonly string[] =>
  written.endsWith('?') ? [written.slice(0, written.indexOf('/')), written.slice(0, -1)] : [written];

/** Every row of the catalogue. */
export const PHRASES: ReadonlyMap<string, readonly [en: string, de: string]> = new Map(
  [HEATING, GENERATORS, EQUIPMENT, ENERGY].flatMap((table: Phrases) =>
    Object.entries(table).flatMap(([written, words]) => keysOf(written).map((key) => [key, words] as const)),
  ),
);

/** The maximum number of levels of the phrases that begin with this level. */
const MOST_LEVELS = new Map<string, number>();
for (const key of PHRASES.keys()) {
  const levels = key.replace(/^\w+:|\/\w+$/g, '').split('.');
  const [first = ''] = levels;
  MOST_LEVELS.set(first, Math.max(levels.length, MOST_LEVELS.get(first) ?? 0));
}

// Parts whose name precedes the feature's. The generator has none: its burners are unambiguous without it.
const PART = /^(?:heating\.(?:circuits|coolingCircuits)\.\d{1,9}|heating\.(?:dhw|solar)|rooms\.\d{1,9}|ventilation)(?=\.|$)/;
const ROOT = /^(?:device|heating)\.(?!$)/;
const isIndex = (level: string): boolean => /^\d{1,9}$/.test(level);

// A repeated word: property `status` of the feature `errorStatus`, with the text `error status`.
const DOUBLED = /(?<!\S)([a-zäöü]+)(?: \1)+(?!\S)/gi;

/** Button texts for commands without a phrase; `{}` is the feature's name. */
const COMMANDS: ReadonlyMap<string, readonly [en: string, de: string]> = new Map([
  ['activate', ['start {}', '{} starten']],
  ['cancel', ['cancel {}', '{} abbrechen']],
  ['deactivate', ['end {}', '{} beenden']],
  ['disable', ['turn off {}', '{} ausschalten']],
  ['enable', ['turn on {}', '{} einschalten']],
  ['reset', ['reset {}', '{} zurücksetzen']],
  ['trigger', ['start {}', '{} starten']],
  ['unschedule', ['cancel {}', '{} abbrechen']],
]);

// Longer names are hard to read, and entity ids end at 255 characters.
const LONGEST = 120;

/** A text without extra blanks and repeated words. */
export const tidy = (text: string): string => text.replace(/\s+/g, ' ').replace(DOUBLED, '$1').trim();

/** Capitalizes the first letter. */
export const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

type Piece = { readonly text: string; readonly used: number; readonly hasProperty: boolean };

/**
 * The words of levels below a part (`scope`), by the longest phrase at each place. `isHalf`: a word has no
 * German, so the name would mix languages.
 */
const readLevels = (levels: readonly string[], scope: string, property: string | undefined, language: Language) => {
  const shapes = levels.map((level) => (isIndex(level) ? 'N' : level));
  const column = language === 'en' ? 0 : 1;
  let isHalf = false;

  const wordsOf = (level: string): string => {
    if (language === 'de' && tokensWithoutGerman(level).length > 0) isHalf = true;
    return levelWords(level, language);
  };

  const find = (key: string, at: number): string | undefined => {
    const row = (at === 0 && scope !== '' ? PHRASES.get(`${scope}:${key}`) : undefined) ?? PHRASES.get(key);
    return row?.[column];
  };

  const filled = (text: string, at: number, used: number): string => {
    if (!text.includes('{')) return text;
    const own = levels.slice(at, at + used);
    const index = Number(own.find(isIndex) ?? 0) + 1;
    return text.replace('{N}', String(index)).replace('{*}', () => wordsOf(own.at(-1) ?? ''));
  };

  const phraseAt = (at: number): Piece | undefined => {
    for (let used = Math.min(MOST_LEVELS.get(shapes[at] ?? '') ?? 0, levels.length - at); used > 0; used--) {
      const key = shapes.slice(at, at + used).join('.');
      const last = levels[at + used - 1] ?? '';
      const any = used > 1 && !isIndex(last) ? `${key.slice(0, -last.length)}*` : undefined;
      const isEnd = at + used === levels.length;
      const tail = isEnd && property !== undefined ? `/${property}` : undefined;
      for (const [name, hasProperty] of [
        [tail && key + tail, true],
        [tail && any && any + tail, true],
        [key, false],
        [any, false],
      ] as const) {
        const found = name === undefined ? undefined : find(name, at);
        if (found !== undefined) return { text: filled(found, at, used), used, hasProperty };
      }
    }
    return undefined;
  };

  /** Names count from 1, the platform from 0. */
  const wordsAt = (at: number): Piece => {
    const [level = '', next] = levels.slice(at);
    if (isIndex(level)) return { text: String(Number(level) + 1), used: 1, hasProperty: false };
    const text = wordsOf(level);
    if (next === undefined || !isIndex(next)) return { text, used: 1, hasProperty: false };
    const one = language === 'en' ? text.replace(/s$/, '') : text;
    return { text: `${one} ${Number(next) + 1}`, used: 2, hasProperty: false };
  };

  const texts: string[] = [];
  let isNamed = false;
  for (let at = 0; at < levels.length; ) {
    const { text, used, hasProperty } = phraseAt(at) ?? wordsAt(at);
    texts.push(text);
    at += used;
    isNamed = hasProperty;
  }
  const feature = texts.join(' ');
  if (isNamed || property === undefined || property === levels.at(-1)) return { rest: tidy(feature), isHalf };
  const command = COMMANDS.get(property)?.[column]?.replace('{}', () => feature);
  const ofPart = levels.length === 0 ? find(`/${property}`, 0) : undefined;
  const rest = tidy(command ?? `${feature} ${ofPart ?? wordsOf(property)}`);
  return { rest, isHalf };
};

/** A name in two pieces: the part, and the feature within it. One of them can be empty. */
export type NamePieces = { readonly part: string; readonly rest: string; readonly language: Language };

/**
 * The name of a feature, property or command, without an initial capital. It is English in every language if
 * one of its words has no German.
 */
export const namePieces = (feature: string, property: string | undefined, language: Language): NamePieces => {
  const part = PART.exec(feature)?.[0] ?? '';
  const below = part === '' ? feature.replace(ROOT, '') : feature.slice(part.length + 1);
  const scope = part === '' ? (ROOT.exec(feature)?.[0].slice(0, -1) ?? '') : part.replace(/^heating\./, '').replace(/\.\d+$/, '');
  const levels = below === '' ? [] : below.split('.');
  const { rest, isHalf } = readLevels(levels, scope, property, language);
  if (isHalf) return namePieces(feature, property, 'en');
  return { part: part === '' ? '' : partWords(part, language), rest, language };
};

/** A name shortened for readers and entity ids. */
export const cut = (name: string): string => (name.length <= LONGEST ? name : [...name].slice(0, LONGEST).join(''));

/** A name from its two pieces; the platform's own if both are empty, so it is never empty. */
export const nameOfPieces = (part: string, rest: string, feature: string, property: string | undefined): string => {
  const name = tidy(`${part} ${rest}`) || `${feature} ${property ?? ''}`.replace(/[\s\p{C}]+/gu, ' ').trim() || 'Value';
  return cut(capital(name));
};

/** The name of a feature, property or command: "Circuit 1 supply temperature". Never empty. */
export const nameOf = (feature: string, property: string | undefined, language: Language): string => {
  const { part, rest } = namePieces(feature, property, language);
  return nameOfPieces(part, rest, feature, property);
};
