import type { Language } from './language.ts';

const EN = {
  title: 'All values',
  search: 'Search',
  searchHint: 'Words of the name or the topic: outside temperature',
  count: (shown: number, all: number) => `${shown} of ${all}`,
  none: 'No value has these words.',
  more: (count: number) => `Show ${count} more`,
  unchanged: 'unchanged since the start',
  justNow: 'less than a minute ago',
  age: { minutes: (n: number) => `${n} min ago`, hours: (n: number) => `${n} h ago`, days: (n: number) => `${n} d ago` },
  noValue: 'no value',
  entries: (count: number) => (count === 1 ? '1 entry' : `${count} entries`),
  fields: (count: number) => (count === 1 ? '1 field' : `${count} fields`),
  writable: 'can be set',
  topic: 'Topic',
  publish: 'To set it in a shell',
  subscribe: 'To follow it in a shell',
  yaml: 'Entity for Home Assistant (configuration.yaml)',
  discovered: 'Home Assistant finds most values by itself. This is for those it does not, or for an entity of your own.',
  whole: 'Value',
  change: 'New value',
  set: 'Set',
  on: 'on',
  off: 'off',
  choose: 'Choose',
  range: (min: string, max: string, step: string) => `${min} to ${max}${step === '' ? '' : `, in steps of ${step}`}`,
  openWeek: 'Open the week',
};

/** The texts of the page of all values. */
type ValuesWords = typeof EN;

const DE: ValuesWords = {
  title: 'Alle Werte',
  search: 'Suche',
  searchHint: 'Wörter des Namens oder des Topics: Außentemperatur',
  count: (shown, all) => `${shown} von ${all}`,
  none: 'Kein Wert hat diese Wörter.',
  more: (count) => `${count} weitere zeigen`,
  unchanged: 'unverändert seit dem Start',
  justNow: 'vor weniger als einer Minute',
  age: { minutes: (n) => `vor ${n} min`, hours: (n) => `vor ${n} h`, days: (n) => `vor ${n} d` },
  entries: (count) => (count === 1 ? '1 Eintrag' : `${count} Einträge`),
  fields: (count) => (count === 1 ? '1 Feld' : `${count} Felder`),
  noValue: 'kein Wert',
  writable: 'einstellbar',
  topic: 'Topic',
  publish: 'In einer Shell setzen',
  subscribe: 'In einer Shell verfolgen',
  yaml: 'Entität für Home Assistant (configuration.yaml)',
  discovered: 'Home Assistant findet die meisten Werte von selbst. Dies ist für die übrigen, oder für eine eigene Entität.',
  whole: 'Wert',
  change: 'Neuer Wert',
  set: 'Setzen',
  on: 'an',
  off: 'aus',
  choose: 'Wählen',
  range: (min, max, step) => `${min} bis ${max}${step === '' ? '' : `, in Schritten von ${step}`}`,
  openWeek: 'Woche öffnen',
};

/** The texts of the page of all values in each language. */
export const VALUES_WORDS: Readonly<Record<Language, ValuesWords>> = { en: EN, de: DE };
