import type { Language } from '../language.ts';
import { MISTAKES_DE, placeDe } from '../setup/mistakesDe.ts';

type Facts = Readonly<Record<string, string>>;

const EN = {
  title: 'Accounts',
  switcher: 'Account',
  main: 'Main account',
  all: 'All accounts …',
  name: 'Name',
  state: 'State',
  login: 'Login',
  lastRead: 'Last read',
  problem: 'Problem',
  filter: 'Filter',
  shown: (shown: number, all: number) => `${shown} of ${all}`,
  none: 'No account fits the filter.',
  states: {
    starting: 'starting',
    running: 'running',
    stopped: 'stopped',
    taken_over: 'taken over by another process',
    wrong_settings: 'wrong settings',
  },
  /** By its code, where the sentence of the server is in another language. */
  problems: {} as Readonly<Record<string, (facts: Facts) => string>>,
  noBroker: 'no broker',
  servedBy: (worker: string, since: string) => `served by ${worker}${since && ` since ${since}`}`,
  logins: { ok: 'valid', due: 'due soon', needed: 'needed', unknown: 'not known' },
  until: (day: string) => `until ${day}`,
  logIn: 'Log in',
  link: 'Link for the login',
  remove: 'Remove',
  sureRemove: (name: string) => `Remove “${name}”? Its topics disappear from the broker. Its data and login stay in its folder.`,
  sureForget: (name: string) => `Remove “${name}” from the fleet? Its topics disappear from the broker. Its data and login are deleted.`,
  add: 'Add an account',
  addText: 'A further account at Viessmann has its own login, devices and topics. The other accounts go on meanwhile.',
  nameHint: 'Small letters, digits, - and _: it becomes a level of the topics, and stays as it is.',
  clientId: 'Client ID',
  clientHint: 'Of this account, from the developer portal of Viessmann.',
  adding: 'Starting the account …',
  loginOf: (name: string) => `Log in: ${name}`,
  steps: [
    'Open the login and log in with this account.',
    'At the end copy the whole address of the browser, an error page is all right.',
    'Paste it here within 20 seconds.',
  ],
  open: 'Open the login',
  address: 'Address at the end of the login',
  finish: 'Finish',
  loggedIn: (name: string) => `“${name}” is logged in. Its devices appear shortly.`,
  show: 'Show its devices',
  linkFor: (name: string) => `Link for the login: ${name}`,
  linkText: (when: string) =>
    `Send it to the person whose account this is. It needs no password of this page, counts for one login, until ${when}. The person must reach this page by this address.`,
  close: 'Close',
  cancel: 'Cancel',
};

const RULES_DE: Readonly<Record<string, string>> = MISTAKES_DE;
const mistakeDe = ([where, rule]: readonly [string, string]): string => `${placeDe(where)} ${RULES_DE[rule] ?? 'ist nicht richtig'}`;

const DE: typeof EN = {
  title: 'Konten',
  switcher: 'Konto',
  main: 'Hauptkonto',
  all: 'Alle Konten …',
  name: 'Name',
  state: 'Zustand',
  login: 'Anmeldung',
  lastRead: 'Zuletzt gelesen',
  problem: 'Problem',
  filter: 'Filter',
  shown: (shown, all) => `${shown} von ${all}`,
  none: 'Kein Konto passt zum Filter.',
  states: {
    starting: 'startet',
    running: 'läuft',
    stopped: 'angehalten',
    taken_over: 'von einem anderen Prozess übernommen',
    wrong_settings: 'falsche Einstellungen',
  },
  problems: {
    taken_over: () =>
      'Ein anderer Prozess bedient dieses Konto: Er hat dessen Client-ID am Broker, darum hält dieser hier das Konto an. Beende den anderen, dann schicke diesem SIGHUP, oder starte ihn neu.',
    client_id_taken: () =>
      'Ein anderer Prozess hat die Client-ID dieses Kontos am Broker, aber nicht das Recht daran, etwa ein Worker nach einer Pause. Dieser hier bedient es in einer halben Minute wieder.',
    // The rule that is broken at each place.
    wrong_settings: (rules) =>
      `In den Einstellungen dieses Kontos ist etwas falsch: ${Object.entries(rules).map(mistakeDe).join('; ')}. Das Protokoll sagt mehr.`,
    login_needed: () => 'Eine neue Anmeldung ist nötig.',
    no_worker: () => 'Kein Worker bedient es gerade.',
    gateway: ({ gateway, account }) => `Das Gateway ${gateway} veröffentlicht ${account ? `das Konto „${account}“` : 'das Hauptkonto'}.`,
  },
  noBroker: 'kein Broker',
  servedBy: (worker, since) => `bedient von ${worker}${since && ` seit ${since}`}`,
  logins: { ok: 'gültig', due: 'bald fällig', needed: 'nötig', unknown: 'nicht bekannt' },
  until: (day) => `bis ${day}`,
  logIn: 'Anmelden',
  link: 'Link zur Anmeldung',
  remove: 'Entfernen',
  sureRemove: (name) => `„${name}“ entfernen? Die Topics verschwinden vom Broker. Daten und Anmeldung bleiben im Ordner des Kontos.`,
  sureForget: (name) => `„${name}“ aus der Flotte entfernen? Die Topics verschwinden vom Broker. Daten und Anmeldung werden gelöscht.`,
  add: 'Konto hinzufügen',
  addText: 'Ein weiteres Konto bei Viessmann hat eine eigene Anmeldung, eigene Geräte und Topics. Die anderen Konten laufen dabei weiter.',
  nameHint: 'Kleine Buchstaben, Ziffern, - und _: Der Name wird eine Ebene der Topics und bleibt, wie er ist.',
  clientId: 'Client-ID',
  clientHint: 'Die dieses Kontos, aus dem Entwicklerportal von Viessmann.',
  adding: 'Das Konto startet …',
  loginOf: (name) => `Anmelden: ${name}`,
  steps: [
    'Öffne die Anmeldung und melde dich mit diesem Konto an.',
    'Kopiere am Ende die ganze Adresse des Browsers; eine Fehlerseite ist in Ordnung.',
    'Füge sie hier innerhalb von 20 Sekunden ein.',
  ],
  open: 'Anmeldung öffnen',
  address: 'Adresse am Ende der Anmeldung',
  finish: 'Abschließen',
  loggedIn: (name) => `„${name}“ ist angemeldet. Die Geräte erscheinen gleich.`,
  show: 'Geräte zeigen',
  linkFor: (name) => `Link zur Anmeldung: ${name}`,
  linkText: (when) =>
    `Schicke ihn der Person, der das Konto gehört. Er braucht kein Passwort dieser Seite und gilt für eine Anmeldung, bis ${when}. Die Person muss diese Seite unter dieser Adresse erreichen.`,
  close: 'Schließen',
  cancel: 'Abbrechen',
};

/** The texts of the accounts on the page. */
export const ACCOUNT_WORDS: Readonly<Record<Language, typeof EN>> = { en: EN, de: DE };
