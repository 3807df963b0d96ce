import { plural } from './language.ts';
import { textsOf } from './texts.ts';

/** The texts of the page of all values in each language. */
export const VALUES_WORDS = textsOf({
  title: ['All values', 'Alle Werte'],
  search: ['Search', 'Suche'],
  searchHint: ['Words of the name or the topic: outside temperature', 'Wörter aus Name oder Topic, z. B. Außentemperatur'],
  count: [(shown: number, all: number) => `${shown} of ${all}`, (shown: number, all: number) => `${shown} von ${all}`],
  none: ['No value fits these words.', 'Kein Wert passt zu dieser Suche.'],
  more: [(count: number) => `Show ${count} more`, (count: number) => `${count} weitere zeigen`],
  unchanged: ['unchanged since the start', 'unverändert seit dem Start'],
  justNow: ['less than a minute ago', 'vor weniger als einer Minute'],
  age: {
    minutes: [(n: number) => `${n} min ago`, (n: number) => `vor ${n} min`],
    hours: [(n: number) => `${n} h ago`, (n: number) => `vor ${n} h`],
    days: [(n: number) => `${n} d ago`, (n: number) => (n === 1 ? 'vor einem Tag' : `vor ${n} Tagen`)],
  },
  noValue: ['no value', 'kein Wert'],
  entries: [(count: number) => plural(count, 'entry', 'entries'), (count: number) => plural(count, 'Eintrag', 'Einträge')],
  fields: [(count: number) => plural(count, 'field', 'fields'), (count: number) => plural(count, 'Feld', 'Felder')],
  writable: ['can be set', 'einstellbar'],
  topic: ['Topic', 'Topic'],
  publish: ['To set it in a shell', 'In einer Shell setzen'],
  subscribe: ['To follow it in a shell', 'In einer Shell verfolgen'],
  yaml: ['Entity for Home Assistant (configuration.yaml)', 'Entität für Home Assistant (configuration.yaml)'],
  discovered: [
    'Home Assistant finds most values by itself. This is for those it does not, or for an entity of your own.',
    'Home Assistant findet die meisten Werte von selbst. Dies ist für die übrigen, oder für eine eigene Entität.',
  ],
  whole: ['Value', 'Wert'],
  change: ['New value', 'Neuer Wert'],
  set: ['Set', 'Setzen'],
  on: ['on', 'ein'],
  off: ['off', 'aus'],
  choose: ['Choose', 'Wählen'],
  range: [
    (min: string, max: string, step: string) => `${min} to ${max}${step === '' ? '' : `, in steps of ${step}`}`,
    (min: string, max: string, step: string) => `${min} bis ${max}${step === '' ? '' : `, in Schritten von ${step}`}`,
  ],
  openWeek: ['Open the week', 'Woche öffnen'],
});
