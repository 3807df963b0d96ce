import type { Language } from './language.ts';

/** The facts of a broken rule that its sentence can name. */
export type BrokenRule = {
  readonly rule: string;
  readonly message: string;
  readonly got?: unknown;
  readonly allowed?: unknown;
  readonly nearest?: readonly unknown[];
};

const list = (values: unknown): string => (Array.isArray(values) ? values.join(', ') : String(values ?? ''));

/** German sentences; a rule that is not listed has the bridge's own sentence. */
const GERMAN: Readonly<Record<string, (broken: BrokenRule) => string>> = {
  resolution: ({ got, allowed }) => `${got} liegt nicht im Raster von ${allowed} Minuten.`,
  maxEntries: ({ got, allowed }) =>
    got === undefined ? 'So viele Einträge hat ein Tag nicht.' : `${got} Einträge sind zu viele, höchstens ${allowed} am Tag.`,
  overlap: ({ got }) => `${got} überschneidet sich mit einem anderen Eintrag; dieser Zeitplan erlaubt das nicht.`,
  mode: ({ got, allowed }) =>
    got === undefined
      ? `Die Betriebsart fehlt; möglich: ${list(allowed)}.`
      : `„${got}“ ist hier keine Betriebsart; möglich: ${list(allowed)}.`,
  default_mode: ({ got }) => `„${got}“ gilt ohnehin zwischen den Einträgen; diese Zeit einfach frei lassen.`,
  time: ({ got }) => `„${got}“ ist keine Uhrzeit; möglich ist 00:00 bis 24:00, 24:00 nur als Ende.`,
  order: ({ got }) => `Das Ende muss nach dem Beginn liegen, nicht um ${got}.`,
  midnight: () => 'Der Eintrag geht über Mitternacht; dafür sind zwei Einträge nötig.',
  unknown_day: ({ got }) => `„${got}“ ist kein Tag; Tage sind Mo, Di, Mi, Do, Fr, Sa, So.`,
  twice: ({ got }) => `${got ?? 'Ein Tag'} steht zweimal im Text.`,
  empty: () => 'Es ist kein Tag genannt; ein Tag ohne Einträge heißt „mon none“.',
  truncated: () => 'Der Text ist abgeschnitten.',
  text: () => 'Das ist hier nicht zu verstehen; erwartet wird etwa „mon-fri 06:00-22:00 normal; sat-sun none“.',
  more: () => 'Weitere Fehler sind nicht aufgeführt.',
  position: () => 'Die Reihenfolge der Einträge ist nicht eindeutig.',
};

const sentence = (text: string): string => `${text}.`;

/** What is said of a broken rule in each language. */
export const RULE_SENTENCES: Readonly<Record<Language, (broken: BrokenRule) => string>> = {
  en: ({ message }) => sentence(message),
  de: (broken) => (Object.hasOwn(GERMAN, broken.rule) ? GERMAN[broken.rule]?.(broken) : undefined) ?? sentence(broken.message),
};
