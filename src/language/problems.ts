import { LOGIN_HELP } from './accounts/loginHelp.ts';
import { STANDING } from './faults/standingWords.ts';
import type { Language } from './language.ts';

/** A moment in local time. */
export type WallTime = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
};

const two = (value: number): string => String(value).padStart(2, '0');
const clockOf = ({ hour, minute }: WallTime): string => `${two(hour)}:${two(minute)}`;

const dayEn = ({ year, month, day }: WallTime): string => `${year}-${two(month)}-${two(day)}`;
const momentEn = (at: WallTime): string => `${dayEn(at)} ${clockOf(at)}`;
const dayDe = ({ year, month, day }: WallTime): string => `${day}.${month}.${year}`;
const momentDe = (at: WallTime): string => `${dayDe(at)}, ${clockOf(at)} Uhr`;

const listed = (names: readonly string[]): string => (names.length === 0 ? '' : `: ${names.join(', ')}`);

const EN = {
  ...STANDING.en,
  moment: momentEn,
  loginNeeded: (command: string | undefined) =>
    `heating2mqtt is no longer logged in: nothing is read and nothing can be changed. Log in ${LOGIN_HELP.en.where(command)}.`,
  loginEnds: (at: WallTime, command: string | undefined) =>
    `The login of heating2mqtt ends on ${dayEn(at)}. Log in again before, ${LOGIN_HELP.en.where(command)}.`,
  loginRefused: (command: string | undefined) =>
    `The platform refuses the login of heating2mqtt, because of the rights or the plan of the account. ${LOGIN_HELP.en.report(command)} shows the answer.`,
  /** Other programs used `others` of `all` calls; `until`: end of the read pause, if known. */
  callsUsedUp: (others: number, all: number, until: WallTime | undefined) =>
    `Another program has used ${others} of the ${all} calls that this account has in 24 hours. Nothing is read ${
      until ? `until ${momentEn(until)}` : 'for now'
    }. Switch off other integrations of this account, or give them a client id of their own.`,
  gatewayOffline: (since: WallTime) =>
    `Nothing has been read since ${momentEn(since)}: the platform says that the gateway or the device is offline. Check the power and the network of the gateway.`,
  deviceRefused:
    'Viessmann refuses all data of this device for your account (402). This depends on the plan and the age of the account, and may change. Nothing is wrong with the device or your settings. heating2mqtt tries again each day.',
  nothingRead: (since: WallTime, command: string | undefined) =>
    `Nothing has been read since ${momentEn(since)}. ${LOGIN_HELP.en.report(command)} says why.`,
  /** A lasting fault or warning of the heating, with the platform's text if there is one. */
  fault: (code: string, text: string | undefined, since: WallTime) =>
    `${code}${text === undefined ? '' : ` ("${text}")`} since ${momentEn(since)}.`,
  moreFaults: (count: number) => `And ${count} more.`,
  /** The advice; `isWarning`: there are only warnings. */
  faultAdvice: (isWarning: boolean): string =>
    isWarning
      ? 'The heating runs, but needs attention: plan a visit of your installer.'
      : 'Check the water pressure, and tell your installer the code.',
  /** These parts of a temporary write were changed elsewhere; it ends at `until`. */
  changedMeanwhile: (what: string, names: readonly string[], until: WallTime) =>
    `${what} has a temporary change until ${momentEn(until)}, but was changed elsewhere since, for example in the app${listed(names)}. Revert the temporary change or keep the other one, on the page of heating2mqtt or with the buttons of a schedule (disabled by default in Home Assistant). Without a choice, the other change stays.`,
};

const DE: typeof EN = {
  ...STANDING.de,
  moment: momentDe,
  loginNeeded: (command) =>
    `heating2mqtt ist nicht mehr angemeldet: Es wird nichts abgefragt, und nichts lässt sich ändern. Bitte neu anmelden, ${LOGIN_HELP.de.where(command)}.`,
  loginEnds: (at, command) =>
    `Die Anmeldung von heating2mqtt endet am ${dayDe(at)}. Bitte vorher neu anmelden, ${LOGIN_HELP.de.where(command)}.`,
  loginRefused: (command) =>
    `Die Plattform weist die Anmeldung von heating2mqtt ab: Rechte des Kontos oder sein Tarif. ${LOGIN_HELP.de.report(command)} zeigt, was sie antwortet.`,
  callsUsedUp: (others, all, until) =>
    `Ein anderes Programm hat ${others} der ${all} Aufrufe verbraucht, die dieses Konto in 24 Stunden hat. ${
      until ? `Bis ${momentDe(until)}` : 'Vorerst'
    } wird nichts abgefragt. Andere Integrationen dieses Kontos bitte ausschalten oder ihnen eine eigene Client-ID geben.`,
  gatewayOffline: (since) =>
    `Seit ${momentDe(since)} konnte nichts abgefragt werden: Die Plattform meldet das Gateway oder das Gerät als offline. Bitte Strom und Netzwerk des Gateways prüfen.`,
  deviceRefused:
    'Viessmann verweigert diesem Konto alle Daten dieses Geräts (402). Das hängt vom Tarif und vom Alter des Kontos ab und hat sich schon öfter geändert. Am Gerät und an den Einstellungen ist nichts falsch. heating2mqtt versucht es jeden Tag wieder.',
  nothingRead: (since, command) => `Seit ${momentDe(since)} konnte nichts abgefragt werden. ${LOGIN_HELP.de.report(command)} zeigt, warum.`,
  fault: (code, text, since) => `${code}${text === undefined ? '' : ` („${text}“)`} seit ${momentDe(since)}.`,
  moreFaults: (count) => `Und ${count} weitere.`,
  faultAdvice: (isWarning) =>
    isWarning
      ? 'Die Heizung läuft, sollte aber geprüft werden: bitte einen Termin mit dem Fachbetrieb machen.'
      : 'Bitte den Wasserdruck prüfen und dem Fachbetrieb den Code nennen.',
  changedMeanwhile: (what, names, until) =>
    `${what} ist vorübergehend geändert, bis ${momentDe(until)}, und wurde inzwischen anderswo geändert, etwa in der App${listed(names)}. Auf der Seite von heating2mqtt oder mit den Tasten eines Zeitplans (in Home Assistant anfangs deaktiviert) lässt sich die eigene Änderung zurücknehmen oder die andere behalten. Ohne Entscheidung bleibt die andere.`,
};

/** The texts of the problem sensors, with advice. */
export const PROBLEMS: Readonly<Record<Language, typeof EN>> = { en: EN, de: DE };
