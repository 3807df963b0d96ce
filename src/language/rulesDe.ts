import type { BrokenRule, RuleSentence } from './rules.ts';

/** German numbers have a decimal comma. */
const written = (value: unknown): string => (typeof value === 'number' ? String(value).replace('.', ',') : String(value));
const list = (values: unknown): string => {
  const words = [values ?? []].flat().map(written);
  // Between numbers with a decimal comma, another comma would be misread.
  return words.join(words.some((one) => one.includes(',')) ? ' oder ' : ', ');
};

const KINDS: Readonly<Record<string, string>> = {
  boolean: 'true oder false',
  number: 'eine Zahl',
  string: 'ein Text',
  object: 'ein Objekt',
  array: 'eine Liste',
};
export const kinds = (allowed: unknown): string =>
  [allowed]
    .flat()
    .map((kind) => KINDS[String(kind)] ?? String(kind))
    .join(', ');

export const quoted = (got: unknown): string => (got === undefined ? 'Das' : `„${list(got)}“`);
export const possible = (allowed: unknown): string => (allowed === undefined ? '' : `; möglich: ${list(allowed)}`);

/** The German text of every rule. */
export const GERMAN_RULES = {
  resolution: ({ got, allowed }) => `${got} liegt nicht im Raster von ${allowed} Minuten.`,
  maxEntries: ({ got, allowed }) =>
    got === undefined ? 'Das sind zu viele Einträge für einen Tag.' : `${got} Einträge sind zu viele, höchstens ${allowed} am Tag.`,
  overlap: ({ got }) => `${got} überschneidet sich mit einem anderen Eintrag; dieser Zeitplan erlaubt das nicht.`,
  mode: ({ got, allowed }) =>
    got === undefined
      ? `Die Betriebsart fehlt; möglich: ${list(allowed)}.`
      : `„${got}“ ist hier keine Betriebsart; möglich: ${list(allowed)}.`,
  default_mode: ({ got }) => `„${got}“ gilt ohnehin zwischen den Einträgen; diese Zeit einfach frei lassen.`,
  time: ({ got }) => `„${got}“ ist keine Uhrzeit; möglich ist 00:00 bis 24:00, 24:00 nur als Ende.`,
  order: ({ got }) => `Das Ende ${got} liegt nicht nach dem Beginn.`,
  midnight: () => 'Der Eintrag geht über Mitternacht; dafür sind zwei Einträge nötig.',
  unknown_day: ({ got }) =>
    /^we\.?$/iu.test(String(got))
      ? `„${got}“ kann Mittwoch (Wednesday) oder Wochenende heißen: bitte Mi oder Sa-So schreiben.`
      : `„${got}“ ist kein Tag; Tage sind mon, tue, wed, thu, fri, sat, sun, im Text auch Mo bis So.`,
  twice: ({ got }) => `${got ?? 'Ein Tag'} kommt zweimal vor.`,
  empty: () => 'Es ist kein Tag genannt; ein Tag ohne Einträge heißt „mon none“.',
  truncated: () => 'Der Text ist abgeschnitten.',
  text: () => 'Das ist unverständlich; richtig wäre „mon-fri 06:00-22:00 normal; sat-sun none“.',
  more: () => 'Es gibt weitere Fehler.',
  position: () => 'Die Reihenfolge der Einträge ist nicht eindeutig.',
  size: ({ allowed }) => `Das ist zu lang${allowed === undefined ? '' : `; höchstens ${allowed} Bytes`}.`,
  utf8: () => 'Das ist kein Text in UTF-8.',
  json: () => 'Das ist kein gültiges JSON.',
  type: ({ got, allowed }) => `${quoted(got)} hat nicht die richtige Form${allowed === undefined ? '' : `; erwartet: ${kinds(allowed)}`}.`,
  required: () => 'Es fehlt ein Wert.',
  unknown: ({ got, allowed }) => `${quoted(got)} gehört nicht zu diesem Befehl${possible(allowed)}.`,
  unknown_key: ({ got, allowed }) => `${quoted(got)} ist hier nicht vorgesehen${possible(allowed)}.`,
  min: ({ got, allowed }) => `${quoted(got)} ist zu niedrig${allowed === undefined ? '' : `, mindestens ${list(allowed)}`}.`,
  max: ({ got, allowed }) => `${quoted(got)} ist zu hoch${allowed === undefined ? '' : `, höchstens ${list(allowed)}`}.`,
  stepping: ({ got, nearest = [] }) =>
    `${quoted(got)} liegt zwischen zwei Schritten${nearest.length === 0 ? '' : `; möglich: ${list(nearest)}`}.`,
  enum: ({ got, allowed }) => `${quoted(got)} ist hier nicht gültig${possible(allowed)}.`,
  minLength: ({ allowed }) => `Der Text ist zu kurz${allowed === undefined ? '' : `, mindestens ${list(allowed)} Zeichen`}.`,
  maxLength: ({ allowed }) => `Der Text ist zu lang${allowed === undefined ? '' : `, höchstens ${list(allowed)} Zeichen`}.`,
  regEx: () => 'Der Text hat nicht die Form, die das Gerät verlangt.',
  date: ({ got }) => `${quoted(got)} ist kein möglicher Tag: Es gibt ihn nicht, oder er liegt vor dem Beginn.`,
  until: ({ got }) => `${quoted(got)} ist kein Ende; möglich ist etwa „2027-01-03 12:00“, „22:00“ oder „next“.`,
  for: ({ got }) => `${quoted(got)} ist keine Dauer; möglich ist etwa „90m“, „2h“ oder „2d“.`,
  past: () => 'Das Ende liegt nicht in der Zukunft.',
  far: () => 'Das Ende liegt mehr als ein Jahr voraus.',
  no_week: () => 'Hierfür ist kein Zeitplan bekannt, also gibt es keinen nächsten Wechsel.',
  not_followed: () => 'Die Heizung folgt diesem Zeitplan gerade nicht, also gibt es keinen nächsten Wechsel.',
  no_change: () => 'Dieser Zeitplan wechselt die Betriebsart nie, also gibt es keinen nächsten Wechsel.',
  two_ends: () => 'Eine Änderung hat nur ein Ende: einen Zeitpunkt oder eine Dauer.',
  profile: ({ got, allowed }) => `Ein Profil ${quoted(got)} gibt es nicht${possible(allowed)}.`,
} as const satisfies Readonly<Record<string, RuleSentence>>;

/** The German text by rule; an unknown rule has the bridge's own message. */
export const germanRule: RuleSentence = (broken: BrokenRule) => {
  const sentences: Readonly<Record<string, RuleSentence>> = GERMAN_RULES;
  const known = Object.hasOwn(sentences, broken.rule) ? sentences[broken.rule] : undefined;
  return known?.(broken) ?? `${broken.message}.`;
};
