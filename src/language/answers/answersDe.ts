import { LOGIN_HELP } from '../accounts/loginHelp.ts';
import { CODES_DE } from '../codesDe.ts';
import { type BrokenRule, PLACE_IN_TEXT } from '../rules.ts';
import { germanAnswerRule } from './answerRulesDe.ts';

type Words = readonly string[];

const list = (words: Words): string => words.join(', ');
/** The first ten words, to the end of the sentence. */
const most = (words: Words): string => (words.length > 10 ? `${list(words.slice(0, 10))} …` : `${list(words)}.`);
/** The text after an unknown name: similar names, else the known ones. */
const instead = (near: Words, known: Words): string =>
  near.length > 0 ? `; gemeint vielleicht ${near.join(' oder ')}?` : known.length > 0 ? `; es gibt ${most(known)}` : '.';
const one = (words: Words, single: string, several: string): string => (words.length === 1 ? single : several);

/** The sentence has only the first broken rules; `errors` has all. */
const MOST_SENTENCES = 3;

/** Rules whose text alone does not tell which part of the text is wrong. */
const OF_A_PLACE: readonly string[] = ['text', 'json', 'truncated'];

const ofError = (error: BrokenRule): string => {
  const [, line, column = ''] = (OF_A_PLACE.includes(error.rule) && /(\d+):(\d+)$/u.exec(error.path ?? '')) || [];
  return `${line === undefined ? '' : `${PLACE_IN_TEXT[1](line, column)}: `}${germanAnswerRule(error)}`;
};

const ofErrors = (errors: readonly BrokenRule[]): string => {
  const sentences = [...new Set(errors.map(ofError))];
  const left = sentences.length - MOST_SENTENCES;
  return [...sentences.slice(0, MOST_SENTENCES), ...(left > 0 ? [`Dazu ${left} weitere, siehe errors.`] : [])].join(' ');
};

/** The login command; undefined in a fleet, where the login is only on a page. */
type LoginCommand = { command?: string | undefined };

/** German answers with facts, for codes whose general text is not specific enough. */
const SENTENCES_DE = {
  no_device: ({ name, near, known }: { name: string; near: Words; known: Words }) =>
    `Ein Gerät „${name}“ gibt es nicht${known.length === 0 ? '; noch ist keines bekannt, den Grund nennt das Protokoll.' : instead(near, known)}`,
  no_feature: ({ name, near, known }: { name: string; near: Words; known: Words }) =>
    `Ein Feature „${name}“ hat dieses Gerät nicht, oder die Einstellungen blenden es aus${instead(near, known)}`,
  no_topic: ({ base, near, known }: { base: string; near: Words; known: Words }) =>
    `Dieses Topic nimmt keine Befehle an; ${
      near.length > 0
        ? `gemeint vielleicht ${near[0]}?`
        : known.length > 0
          ? `unter ${base} gibt es ${most(known)}`
          : `richtig ist ein Topic wie ${base}/<Gerät>/<Feature>/set.`
    }`,
  no_command: ({ feature, name, near, known }: { feature: string; name: string; near: Words; known: Words }) =>
    `${feature} hat keinen Befehl „${name}“${instead(near, known)}`,
  not_writable: ({ what, use }: { what: string; use: Words }) =>
    `${what} lässt sich hier nicht schreiben${use.length > 0 ? `; stattdessen: ${list(use)}` : ''}.`,
  allow: ({ name }: { name: string }) => `${name} steht nicht unter commands.allow in den Einstellungen.`,
  deny: ({ name }: { name: string }) => `Die Einstellung commands.deny verbietet ${name}.`,
  other_rev: ({ rev, wanted }: { rev: string | undefined; wanted: string }) =>
    `Der Datensatz hat ${rev === undefined ? 'keine rev' : `die rev ${rev}`}, nicht ${wanted}: Er wurde inzwischen geändert.`,
  changed_elsewhere: ({ names }: { names: Words }) =>
    `${list(names)} ${one(names, 'wurde', 'wurden')} inzwischen anderswo geändert, also wird nichts zurückgenommen.`,
  changed_since: ({ names }: { names: Words }) =>
    `${list(names)} ${one(names, 'wurde', 'wurden')} inzwischen anderswo geändert und ${one(names, 'bleibt, wie es ist', 'bleiben, wie sie sind')}.`,
  per_hour: ({ feature, count, most }: { feature: string; count: number; most: number }) =>
    `${feature} bekam in der letzten Stunde ${count} Befehle; commands.per_hour erlaubt ${most}. Läuft eine Automation in einer Schleife?`,
  not_now: ({ command, others }: { command: string; others: Words }) =>
    `Das Gerät nimmt ${command} gerade nicht an${others.length > 0 ? `, wohl aber ${list(others)}` : ''}.`,
  needs: ({ command, names }: { command: string; names: Words }) =>
    `${command} braucht auch ${list(names)}, und ${one(names, 'ein jetziger Wert ist', 'jetzige Werte sind')} nicht bekannt; mit call/${command} lassen sich alle Parameter angeben.`,
  seven_days: () => 'Die Plattform zeigt keine Woche, die sich ergänzen ließe; bitte alle sieben Tage senden.',
  superseded: ({ kept }: { kept: Words }) =>
    kept.length > 0
      ? `Eine spätere Änderung hat die anderen Tage ersetzt, bevor dies gesendet war; gesendet: ${list(kept)}.`
      : 'Eine spätere Änderung hat alles ersetzt, bevor es gesendet war.',
  waits: ({ names, missing }: { names: Words; missing: Words }) =>
    `${list(names)} ${one(names, 'ist', 'sind')} vorgemerkt, bis auch ${list(missing)} geschrieben ${one(missing, 'ist', 'sind')}; gesendet wurde noch nichts.`,
  not_followed: ({ names, missing }: { names: Words; missing: Words }) =>
    `${list(names)} ${one(names, 'war', 'waren')} einen Tag lang vorgemerkt, aber ${list(missing)} ${one(missing, 'kam', 'kamen')} nicht; es wurde nichts gesendet. Bitte noch einmal schreiben.`,
  still_waits: ({ errors, written, waiting }: { errors: readonly BrokenRule[]; written: Words; waiting: Words }) =>
    `${ofErrors(errors)} ${list(waiting)} ${one(waiting, 'bleibt', 'bleiben')} vorgemerkt; das oder ${list(written)} muss anders sein.`,
  discarded: () => 'Das Vorgemerkte ist verworfen; auf der Plattform gab es nichts abzubrechen.',
  parts_missing: ({ came, count }: { came: number; count: number }) =>
    `Von ${count} Teilen dieses Textes ${came === 1 ? 'kam' : 'kamen'} nur ${came}; bitte alle noch einmal senden.`,
  cancelled: () => 'Es wurde abgebrochen, bevor es gesendet war.',
  empty: () => 'Eine leere Nachricht ist kein Befehl; ein Tag eines Zeitplans wird mit none geleert.',
  retained: () => 'Befehle mit retain werden nicht ausgeführt: bitte ohne retain senden.',
  charge_ends: () => 'Eine begonnene Ladung endet von selbst; hier lässt sie sich nicht beenden.',
  charge_often: ({ from }: { from: string }) =>
    `Höchstens zwei Ladungen in 24 Stunden, mit drei Stunden Abstand; wieder möglich ab ${from}.`,
  plan_calls: ({ from }: { from: string }) =>
    `Die Aufrufe, die Pläne und Überschuss in 24 Stunden verwenden dürfen, sind verbraucht; wieder möglich ab ${from}.`,
  charge_warm: ({ celsius, target }: { celsius: number; target: number }) =>
    `Der Speicher ist schon warm: ${String(celsius).replace('.', ',')} von ${String(target).replace('.', ',')} °C.`,
  no_prices: () => 'In den Einstellungen fehlen die Preise: prices.topic oder prices.url.',
  plan_once: () => 'Dieser Plan wird gesendet, sobald er beginnt.',
  plan_daily: () => 'Ab jetzt wird jeder Plan gesendet, sobald er beginnt.',
  plan_off: () => 'Es wird kein Plan gesendet; der laufende endet jetzt.',
  plan_none: () => 'Gerade gibt es keinen Plan zu senden; warum, steht in bridge/price_plan.',
  plan_modes: () => 'Möglich sind once, daily und off, oder {"device":"<Name>","mode":"daily"}.',
  plan_season: () =>
    'Das Warmwasser dieses Geräts folgt den Jahreszeiten (schedules.seasons), und ein täglicher Plan ließe dafür keine Zeit: once senden oder die Einstellung entfernen.',
  plan_no_device: () => 'Es gibt kein solches Gerät, das Warmwasser mit Strom bereitet; bei mehreren gehört der Name in device.',
  republished: () => 'Alles wird noch einmal veröffentlicht.',
  gateway_restarts: ({ gateway }: { gateway: string }) =>
    `Viessmann startet das Gateway ${gateway} neu. Das dauert einige Minuten; danach zeigen die nächsten Abfragen, ob sich die Werte wieder ändern.`,
  restarted_lately: ({ gateway, from }: { gateway: string; from: string }) =>
    `Ein Neustart des Gateways ${gateway} wurde eben erst ausgelöst; wieder möglich ab ${from}.`,
  no_restart: () => 'Mit diesen Pfaden der Plattform lässt sich kein Gateway neu starten; mit platform.profile v2 geht es.',
  read_now: ({ device }: { device?: string | undefined }) =>
    `Jetzt ${device === undefined ? 'werden alle Geräte' : `wird ${device}`} abgefragt.`,
  asked_lately: ({ device, seconds }: { device?: string | undefined; seconds: number }) =>
    `${device ?? 'Alles'} wurde eben erst abgefragt; wieder möglich in ${seconds} s.`,
  no_calls_until: ({ from }: { from: string }) => `Die Plattform nimmt bis ${from} keine Aufrufe an; bitte danach noch einmal versuchen.`,
  login_over_mqtt: ({ command }: LoginCommand) =>
    `platform.login_over_mqtt ist in den Einstellungen nicht true; Anmeldung ${LOGIN_HELP.de.where(command)}.`,
  logged_in: () => 'Angemeldet.',
  login_refused: ({ command }: LoginCommand) =>
    `Die Anmeldung wurde nicht angenommen, oder es ist gerade keine nötig (bridge/auth). Nötig ist die ganze Adresse, die der Browser nach login_url zeigt, mit demselben Konto wie zuvor. ${LOGIN_HELP.de.otherwise(command)}`,
  login_failed: () => 'Die Anmeldung wurde nicht abgeschlossen. Eine neue login_url steht in bridge/auth.',
  events_kept: ({ count, skipped }: { count: number; skipped: number }) =>
    `${count} Termine sind übernommen${skipped > 0 ? `, ${skipped} sind ungültig und entfallen` : ''}.`,
  no_events: () =>
    'Das ist kein Kalender: Nötig ist die Antwort von calendar.get_events aus Home Assistant, oder eine Liste von Terminen mit summary, start und end.',
  calendars_full: ({ most }: { most: number }) => `Es gibt schon ${most} Kalender.`,
  no_rules: () => 'In den Einstellungen stehen unter calendar.rules keine Regeln.',
  calendar_on: () => 'Der Kalender ist eingeschaltet.',
  calendar_off: () => 'Der Kalender ist ausgeschaltet; seine Änderungen werden jetzt zurückgenommen.',
  calendar_not_on: () => 'Der Kalender war nicht eingeschaltet; es ändert sich nichts.',
  no_seasons: () => 'In den Einstellungen stehen unter schedules.seasons keine Zeitpläne.',
  seasons_on: () => 'Die Jahreszeiten sind eingeschaltet.',
  seasons_off: () => 'Die Jahreszeiten sind ausgeschaltet; es wird keine Woche gesendet.',
  seasons_not_on: () => 'Die Jahreszeiten waren nicht eingeschaltet; es ändert sich nichts.',
  other_preview: () => 'Der Schlüssel gehört nicht zur aktuellen Vorschau; bitte die Vorschau noch einmal ansehen.',
} as const;

type Sentences = typeof SENTENCES_DE;

/** The key and facts of an answer. A key without a German text does not compile. */
export type AnswerFacts = {
  readonly [Key in keyof Sentences]: { readonly about: Key } & (Parameters<Sentences[Key]> extends [infer Facts]
    ? Readonly<Facts>
    : unknown);
}[keyof Sentences];

const sentenceOf = (facts: AnswerFacts): string => {
  const sentence: (facts: never) => string = SENTENCES_DE[facts.about];
  return sentence(facts as never);
};

/** Why a sent write is not confirmed, by code. */
const UNCONFIRMED_DE: Readonly<Record<string, string>> = {
  not_shown: 'Die Plattform hat es angenommen, aber bei keiner der nächsten Abfragen gezeigt.',
  no_quota: 'Die Plattform hat es angenommen; zum Prüfen ist gerade kein Aufruf frei, die nächste Abfrage zeigt es.',
  stopping: 'Es ist gesendet, aber die Bridge wurde vor dem Ergebnis beendet; sie prüft es beim nächsten Start.',
  interrupted: 'Die Bridge wurde beim Senden unterbrochen, und die Plattform zeigt es nicht; es wird nicht noch einmal gesendet.',
};

const codeIn = (table: Readonly<Record<string, string>>, code: string): string | undefined =>
  Object.hasOwn(table, code) ? table[code] : undefined;

type Said = {
  readonly status: string;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly errors?: readonly BrokenRule[] | undefined;
};

/** The German answer: from facts, broken rules or code, in this order; else the English message. */
export const germanAnswer = ({ status, code, message, errors }: Said, facts?: AnswerFacts): string | undefined => {
  if (facts) return sentenceOf(facts);
  if (errors && errors.length > 0) return ofErrors(errors);
  if (code === undefined) return status === 'superseded' ? 'Eine spätere Änderung hat dies ersetzt, bevor es gesendet war.' : message;
  return (status === 'unconfirmed' ? codeIn(UNCONFIRMED_DE, code) : undefined) ?? codeIn(CODES_DE, code) ?? message;
};
