import type { Found, Sentences } from '../../schedule/hints/checks.ts';
import type { Language } from '../language.ts';
import { modeWord } from '../modes.ts';
import { textsOf } from '../texts.ts';
import { dayRuns, SHORT_DAYS } from './shortDays.ts';

type Span = Found['circulation_unreleased'];
type At = Found['hygiene_outside'];

const { en: DAYS_EN, de: DAYS_DE } = SHORT_DAYS;

const spanEn = ({ day, from, to }: Span): string => `${DAYS_EN[day]} ${from}–${to}`;
const spanDe = ({ day, from, to }: Span): string => `${DAYS_DE[day]} ${from}–${to}`;
const atEn = ({ day, time }: At): string => `${DAYS_EN[day]} ${time}`;
const atDe = ({ day, time }: At): string => `${DAYS_DE[day]} ${time}`;
const numberDe = (value: number): string => String(value).replace('.', ',');
/** `17.08.2025` from an ISO date. */
const dateDe = (date: string): string => date.split('-').reverse().join('.');
const list = (modes: readonly string[], language: Language): string =>
  modes.map((mode) => modeWord(mode, language)).join(language === 'de' ? ' und ' : ' and ');

/** The text of each hint, from the facts that its check finds. */
const EN: Sentences = {
  circulation_always: () =>
    'Circulation runs 24 hours on 7 days. A few half hours before use are enough for most homes; rented and large houses may have to circulate.',
  circulation_unreleased: (span) =>
    `Circulation runs ${spanEn(span)} while hot water is not released, and cools the cylinder. Is the residual heat meant to be used?`,
  water_always: () => 'Hot water is released all day: the cylinder may be reheated at night.',
  water_short: (span) => `The hot water window ${spanEn(span)} is shorter than a charge (30 minutes or more).`,
  water_late: ({ day, heating, water }) =>
    `${DAYS_EN[day]}: the heating begins at ${heating}, the first hot water window at ${water}. Is the shower warm by then?`,
  water_gap: ({ from, to }) => `More than 24 hours without hot water release: ${atEn(from)} to ${atEn(to)}.`,
  same_temperature: ({ modes, celsius }) => `${list(modes, 'en')} have the same target, ${celsius} °C: this week changes nothing.`,
  no_effect: ({ mode }) =>
    `This week has no effect now${mode === undefined ? ': the heating does not follow it' : `: ${modeWord(mode, 'en')}`}.`,
  holiday: ({ start, end, isOver }) =>
    isOver ? `A holiday from ${start} to ${end} is still stored.` : `A holiday overrides this week until ${end}.`,
  night_setback: ({ kelvin }) =>
    `The temperatures of this week are up to ${kelvin} K apart. With a heat pump or floor heating that often costs more than it saves; 1 to 2 K are usual.`,
  water_cool: ({ celsius }) =>
    `The hot water target is ${celsius} °C and hygiene is off. DVGW W 551 advises 60 °C and never less than 50 °C in a cylinder (legionella): ask your installer.`,
  hygiene_outside: (at) => `The hygiene run (${atEn(at)}) lies outside every hot water window of its day. It may not take place.`,
  water_starts: ({ day, count }) =>
    `${DAYS_EN[day]} has ${count} starts of hot water; each short charge wears the compressor. 1 to 3 are usual.`,
  overlap: ({ span, mode }) =>
    mode === undefined
      ? `Between ${spanEn(span)} one minute is left open. Is 24:00 meant?`
      : `Two entries overlap ${spanEn(span)}; there ${modeWord(mode, 'en')} counts. Is that meant?`,
  odd_day: ({ day, time, usual }) => `Monday to Friday differ on ${DAYS_EN[day]} alone (${time} for ${usual}). A mistake?`,
  late_begin: ({ count, of, minutes, celsius, move: { runs, mode, from } }) =>
    `${dayRuns(runs, 'en')}, ${modeWord(mode, 'en')} from ${from}: on ${count} of ${of} days the room reached ${celsius} °C about ${minutes} minutes late.`,
  ran_outside: ({ count, of, minutes, what }) =>
    `On ${count} of the last ${of} days ${what === 'water' ? 'the hot water was charged' : 'the circulation pump ran'} outside this week, about ${minutes} minutes a day. A single charge, hygiene or another program can be the reason.`,
};

const DE: Sentences = {
  circulation_always: () =>
    'Die Zirkulation läuft rund um die Uhr. Meist reicht je eine halbe Stunde vor dem Gebrauch; in vermieteten und großen Häusern kann sie vorgeschrieben sein.',
  circulation_unreleased: (span) =>
    `Die Zirkulation läuft ${spanDe(span)}, während das Warmwasser nicht freigegeben ist, und kühlt den Speicher aus. Soll die Restwärme genutzt werden?`,
  water_always: () => 'Das Warmwasser ist rund um die Uhr freigegeben: Der Speicher kann nachts nachgeladen werden.',
  water_short: (span) => `Das Zeitfenster ${spanDe(span)} für Warmwasser ist kürzer als eine Speicherladung (30 Minuten oder mehr).`,
  water_late: ({ day, heating, water }) =>
    `${DAYS_DE[day]}: Die Heizung beginnt um ${heating}, das erste Zeitfenster für Warmwasser um ${water}. Ist die Dusche bis dahin warm?`,
  water_gap: ({ from, to }) => `Mehr als 24 Stunden ohne Freigabe für Warmwasser: ${atDe(from)} bis ${atDe(to)}.`,
  same_temperature: ({ modes, celsius }) =>
    `${list(modes, 'de')} haben dieselbe Solltemperatur, ${numberDe(celsius)} °C: Dieser Zeitplan ändert nichts.`,
  no_effect: ({ mode }) => `Diese Woche wirkt gerade nicht: ${mode === undefined ? 'Die Heizung folgt ihr nicht' : modeWord(mode, 'de')}.`,
  holiday: ({ start, end, isOver }) =>
    isOver
      ? `Ein Urlaub vom ${dateDe(start)} bis ${dateDe(end)} ist noch gespeichert.`
      : `Bis ${dateDe(end)} hat ein Urlaub Vorrang vor dieser Woche.`,
  night_setback: ({ kelvin }) =>
    `Die Temperaturen dieser Woche liegen bis zu ${numberDe(kelvin)} K auseinander. Bei Wärmepumpe oder Fußbodenheizung kostet das oft mehr, als es spart; üblich sind 1 bis 2 K.`,
  water_cool: ({ celsius }) =>
    `Die Solltemperatur des Warmwassers ist ${numberDe(celsius)} °C, und die Hygienefunktion ist aus. DVGW W 551 empfiehlt 60 °C und nie unter 50 °C im Speicher (Legionellen): Frag deinen Fachbetrieb.`,
  hygiene_outside: (at) =>
    `Die Hygienefunktion (${atDe(at)}) liegt außerhalb aller Zeitfenster für Warmwasser an ihrem Tag. Womöglich läuft sie nicht.`,
  water_starts: ({ day, count }) =>
    `${DAYS_DE[day]} startet die Warmwasserbereitung ${count}-mal; jede kurze Ladung nutzt den Verdichter ab. Üblich sind 1 bis 3 Starts.`,
  overlap: ({ span, mode }) =>
    mode === undefined
      ? `${spanDe(span)} bleibt eine Minute offen. Ist 24:00 gemeint?`
      : `${spanDe(span)} überschneiden sich zwei Einträge; dort gilt ${modeWord(mode, 'de')}. Ist das gewollt?`,
  odd_day: ({ day, time, usual }) => `Montag bis Freitag unterscheiden sich nur am ${DAYS_DE[day]} (${time} statt ${usual}). Ein Versehen?`,
  late_begin: ({ count, of, minutes, celsius, move: { runs, mode, from } }) =>
    `${dayRuns(runs, 'de')}, ${modeWord(mode, 'de')} ab ${from}: An ${count} von ${of} Tagen erreichte der Raum ${numberDe(celsius)} °C etwa ${minutes} Minuten zu spät.`,
  ran_outside: ({ count, of, minutes, what }) =>
    `An ${count} der letzten ${of} Tage ${what === 'water' ? 'wurde das Warmwasser' : 'lief die Zirkulationspumpe'} außerhalb dieses Zeitplans${what === 'water' ? ' geladen' : ''}, etwa ${minutes} Minuten am Tag. Der Grund kann eine Einmalladung, die Hygienefunktion oder ein anderes Programm sein.`,
};

export const HINTS: Readonly<Record<Language, Sentences>> = { en: EN, de: DE };

/** The page's texts around the hints. */
export const HINT_WORDS = textsOf({
  title: ['Hints', 'Hinweise'],
  hint: ['Hint', 'Hinweis'],
  tip: ['Tip', 'Tipp'],
  dismiss: ['Dismiss', 'Ausblenden'],
  again: [(count: number) => `Show dismissed hints (${count})`, (count: number) => `Ausgeblendete Hinweise zeigen (${count})`],
  move: [(to: string) => `Begin at ${to} instead`, (to: string) => `Schon um ${to} beginnen`],
  moved: ['The earlier begin is in the drawing. Save to send it.', 'Der frühere Beginn ist eingetragen. Zum Senden speichern.'],
});
