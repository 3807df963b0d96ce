import type { Language } from '../language.ts';
import { ENERGY } from './energy.ts';
import { EQUIPMENT } from './equipment.ts';
import { GENERATORS } from './generator.ts';
import { HEATING } from './heating.ts';
import { partWords } from './parts.ts';
import type { Phrases } from './phrases.ts';
import { levelWords, tokensWithoutGerman } from './words.ts';

/** `burner/active?` is a row of the property, and of the feature itself. */
const keysOf = (written: string): readonly string[] =>
  written.endsWith('?') ? [written.slice(0, written.indexOf('/')), written.slice(0, -1)] : [written];

/** Every row of the catalogue. */
export const PHRASES: ReadonlyMap<string, readonly [en: string, de: string]> = new Map(
  [HEATING, GENERATORS, EQUIPMENT, ENERGY].flatMap((table: Phrases) =>
    Object.entries(table).flatMap(([written, words]) => keysOf(written).map((key) => [key, words] as const)),
  ),
);

/** The most levels of the phrases that begin with a level. */
const MOST_LEVELS = new Map<string, number>();
for (const key of PHRASES.keys()) {
  const levels = key.replace(/^\w+:|\/\w+$/g, '').split('.');
  const [first = ''] = levels;
  MOST_LEVELS.set(first, Math.max(levels.length, MOST_LEVELS.get(first) ?? 0));
}

// A part with a name of its own before what it has. The generator has none: its burners and compressors are known by themselves.
const PART = /^(?:heating\.(?:circuits|coolingCircuits)\.\d{1,9}|heating\.(?:dhw|solar)|rooms\.\d{1,9}|ventilation)(?=\.|$)/;
const ROOT = /^(?:device|heating)\.(?!$)/;
const isIndex = (level: string): boolean => /^\d{1,9}$/.test(level);

// `error status` of a feature `errorStatus` with the property `status`.
const DOUBLED = /(?<!\S)([a-zäöü]+)(?: \1)+(?!\S)/gi;

/** What a button does to what its feature is called, for the commands that no phrase has. */
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

// Longer names are not readable, and entity ids end at 255 characters.
const LONGEST = 120;

/** A text without blanks and words that follow themselves. */
export const tidy = (text: string): string => text.replace(/\s+/g, ' ').replace(DOUBLED, '$1').trim();

/** The first letter as a capital. */
export const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

type Piece = { readonly text: string; readonly used: number; readonly hasProperty: boolean };

/** The words of levels below a part, `scope`, by the longest phrase at each place. */
class Reader {
  readonly #levels: readonly string[];
  readonly #shapes: readonly string[];
  readonly #scope: string;
  readonly #property: string | undefined;
  readonly #language: Language;
  #isHalf = false;

  constructor(levels: readonly string[], scope: string, property: string | undefined, language: Language) {
    this.#levels = levels;
    this.#shapes = levels.map((level) => (isIndex(level) ? 'N' : level));
    this.#scope = scope;
    this.#property = property;
    this.#language = language;
  }

  /** True where a word has no German: the rest of the name would be, and half of a name in each language reads badly. */
  get isHalf(): boolean {
    return this.#isHalf;
  }

  #levelWords(level: string): string {
    if (this.#language === 'de' && tokensWithoutGerman(level).length > 0) this.#isHalf = true;
    return levelWords(level, this.#language);
  }

  get #column(): 0 | 1 {
    return this.#language === 'en' ? 0 : 1;
  }

  read(): string {
    const texts: string[] = [];
    let isNamed = false;
    for (let at = 0; at < this.#levels.length; ) {
      const { text, used, hasProperty } = this.#phraseAt(at) ?? this.#wordsAt(at);
      texts.push(text);
      at += used;
      isNamed = hasProperty;
    }
    const property = this.#property;
    const feature = texts.join(' ');
    if (isNamed || property === undefined || property === this.#levels.at(-1)) return tidy(feature);
    const command = COMMANDS.get(property)?.[this.#column];
    return tidy(command?.replace('{}', () => feature) ?? `${feature} ${this.#propertyWords(property)}`);
  }

  #phraseAt(at: number): Piece | undefined {
    for (let used = Math.min(MOST_LEVELS.get(this.#shapes[at] ?? '') ?? 0, this.#levels.length - at); used > 0; used--) {
      const key = this.#shapes.slice(at, at + used).join('.');
      const last = this.#levels[at + used - 1] ?? '';
      const any = used > 1 && !isIndex(last) ? `${key.slice(0, -last.length)}*` : undefined;
      const isEnd = at + used === this.#levels.length;
      const tail = isEnd && this.#property !== undefined ? `/${this.#property}` : undefined;
      for (const [name, hasProperty] of [
        [tail && key + tail, true],
        [tail && any && any + tail, true],
        [key, false],
        [any, false],
      ] as const) {
        const found = name === undefined ? undefined : this.#find(name, at);
        if (found !== undefined) return { text: this.#filled(found, at, used), used, hasProperty };
      }
    }
    return undefined;
  }

  #find(key: string, at: number): string | undefined {
    const row = (at === 0 && this.#scope !== '' ? PHRASES.get(`${this.#scope}:${key}`) : undefined) ?? PHRASES.get(key);
    return row?.[this.#column];
  }

  #filled(text: string, at: number, used: number): string {
    if (!text.includes('{')) return text;
    const levels = this.#levels.slice(at, at + used);
    const index = Number(levels.find(isIndex) ?? 0) + 1;
    return text.replace('{N}', String(index)).replace('{*}', () => this.#levelWords(levels.at(-1) ?? ''));
  }

  /** Names count from 1, the platform from 0. */
  #wordsAt(at: number): Piece {
    const [level = '', next] = this.#levels.slice(at);
    if (isIndex(level)) return { text: String(Number(level) + 1), used: 1, hasProperty: false };
    const text = this.#levelWords(level);
    if (next === undefined || !isIndex(next)) return { text, used: 1, hasProperty: false };
    const one = this.#language === 'en' ? text.replace(/s$/, '') : text;
    return { text: `${one} ${Number(next) + 1}`, used: 2, hasProperty: false };
  }

  #propertyWords(property: string): string {
    const phrase = this.#levels.length === 0 ? this.#find(`/${property}`, 0) : undefined;
    return phrase ?? this.#levelWords(property);
  }
}

/** A name in two pieces: of the part that the feature belongs to, and of what it is there. One of them can be empty. */
export type NamePieces = { readonly part: string; readonly rest: string; readonly language: Language };

/**
 * The name of a feature, or of one of its properties or commands, without the capital at its start. It is English in every language where one
 * of its words has no German.
 */
export const namePieces = (feature: string, property: string | undefined, language: Language): NamePieces => {
  const part = PART.exec(feature)?.[0] ?? '';
  const below = part === '' ? feature.replace(ROOT, '') : feature.slice(part.length + 1);
  const scope = part === '' ? (ROOT.exec(feature)?.[0].slice(0, -1) ?? '') : part.replace(/^heating\./, '').replace(/\.\d+$/, '');
  const levels = below === '' ? [] : below.split('.');
  const reader = new Reader(levels, scope, property, language);
  const rest = reader.read();
  if (reader.isHalf) return namePieces(feature, property, 'en');
  return { part: part === '' ? '' : partWords(part, language), rest, language };
};

/** A name that is not too long for people and entity ids. */
export const cut = (name: string): string => (name.length <= LONGEST ? name : [...name].slice(0, LONGEST).join(''));

/** A name of its two pieces; the platform's own where both are empty, so that it never is. */
export const nameOfPieces = (part: string, rest: string, feature: string, property: string | undefined): string => {
  const name = tidy(`${part} ${rest}`) || `${feature} ${property ?? ''}`.replace(/[\s\p{C}]+/gu, ' ').trim() || 'Value';
  return cut(capital(name));
};

/** The name of a feature, or of one of its properties or commands: "Circuit 1 supply temperature". Never empty. */
export const nameOf = (feature: string, property: string | undefined, language: Language): string => {
  const { part, rest } = namePieces(feature, property, language);
  return nameOfPieces(part, rest, feature, property);
};
