import { wrongAccountDe } from '../setup/mistakesDe.ts';
import { textsOf } from '../texts.ts';

type Facts = Readonly<Record<string, string>>;
type Sentences = Readonly<Record<string, (facts: Facts) => string>>;

/** The problems of an account, by code; the server has the English text. */
const PROBLEMS_DE: Sentences = {
  taken_over: () =>
    'Ein anderer Prozess bedient dieses Konto und hat dessen Client-ID am Broker, darum hat dieser hier das Konto angehalten. Beende den anderen, dann sende diesem SIGHUP oder starte ihn neu.',
  client_id_taken: () =>
    'Ein anderer Prozess hat am Broker die Client-ID dieses Kontos, aber nicht das Recht darauf, etwa ein Worker nach einer Pause. Dieser hier bedient es in einer halben Minute wieder.',
  wrong_settings: wrongAccountDe,
  login_needed: () => 'Eine neue Anmeldung ist nötig.',
  no_worker: () => 'Kein Worker bedient es gerade.',
  gateway: ({ gateway, account, login }) =>
    `Das Gateway ${gateway} veröffentlicht ${account ? `das Konto „${account}“` : 'das Hauptkonto'}${login === 'needed' ? ', das eine Anmeldung braucht' : ''}.`,
};

/** The texts of the accounts on the page. */
export const ACCOUNT_WORDS = textsOf({
  title: ['Accounts', 'Konten'],
  switcher: ['Account', 'Konto'],
  main: ['Main account', 'Hauptkonto'],
  all: ['All accounts …', 'Alle Konten …'],
  name: ['Name', 'Name'],
  state: ['State', 'Zustand'],
  login: ['Login', 'Anmeldung'],
  lastRead: ['Last read', 'Zuletzt abgefragt'],
  problem: ['Problem', 'Problem'],
  filter: ['Filter', 'Filter'],
  shown: [(shown: number, all: number) => `${shown} of ${all}`, (shown: number, all: number) => `${shown} von ${all}`],
  none: ['No account fits the filter.', 'Kein Konto passt zum Filter.'],
  states: {
    starting: ['starting', 'startet'],
    running: ['running', 'läuft'],
    stopped: ['stopped', 'angehalten'],
    taken_over: ['taken over by another process', 'von einem anderen Prozess übernommen'],
    wrong_settings: ['wrong settings', 'falsche Einstellungen'],
  },
  /** By code, if the server's sentence is in another language. */
  problems: [{} as Sentences, PROBLEMS_DE],
  noBroker: ['no broker', 'kein Broker'],
  servedBy: [
    (worker: string, since: string) => `served by ${worker}${since && ` since ${since}`}`,
    (worker: string, since: string) => `bedient von ${worker}${since && ` seit ${since}`}`,
  ],
  logins: {
    ok: ['valid', 'gültig'],
    due: ['due soon', 'bald fällig'],
    needed: ['needed', 'nötig'],
    unknown: ['not known', 'nicht bekannt'],
  },
  until: [(day: string) => `until ${day}`, (day: string) => `bis ${day}`],
  logIn: ['Log in', 'Anmelden'],
  link: ['Link for the login', 'Link zur Anmeldung'],
  remove: ['Remove', 'Entfernen'],
  sureRemove: [
    (name: string) => `Remove “${name}”? Its topics disappear from the broker. Its data and login stay in its folder.`,
    (name: string) => `„${name}“ entfernen? Die Topics verschwinden vom Broker. Daten und Anmeldung bleiben im Ordner des Kontos.`,
  ],
  sureForget: [
    (name: string) => `Remove “${name}” from the fleet? Its topics disappear from the broker. Its data and login are deleted.`,
    (name: string) => `„${name}“ aus der Flotte entfernen? Die Topics verschwinden vom Broker. Daten und Anmeldung werden gelöscht.`,
  ],
  add: ['Add an account', 'Konto hinzufügen'],
  addText: [
    'A further account at Viessmann has its own login, devices and topics. The other accounts keep running.',
    'Ein weiteres Konto bei Viessmann hat eine eigene Anmeldung, eigene Geräte und Topics. Die anderen Konten laufen dabei weiter.',
  ],
  nameHint: [
    'Small letters, digits, - and _. The name becomes a level of the topics and cannot be changed later.',
    'Kleinbuchstaben, Ziffern, - und _. Der Name wird Teil der Topics und lässt sich später nicht ändern.',
  ],
  clientHint: ['Of this account, from the developer portal of Viessmann.', 'Aus dem Entwicklerportal von Viessmann, für dieses Konto.'],
  adding: ['Starting the account …', 'Das Konto startet …'],
  loginOf: [(name: string) => `Log in: ${name}`, (name: string) => `Anmelden: ${name}`],
  loggedIn: [
    (name: string) => `“${name}” is logged in. Its devices appear shortly.`,
    (name: string) => `„${name}“ ist angemeldet. Die Geräte erscheinen gleich.`,
  ],
  show: ['Show its devices', 'Geräte zeigen'],
  linkFor: [(name: string) => `Link for the login: ${name}`, (name: string) => `Link zur Anmeldung: ${name}`],
  linkText: [
    (when: string) =>
      `Send it to the owner of the account. It needs no password of this page, and is valid for one login until ${when}. The person must reach this page by this address.`,
    (when: string) =>
      `Schicke ihn der Person, der das Konto gehört. Er gilt ohne Passwort dieser Seite für eine Anmeldung bis ${when}. Die Person muss diese Seite unter dieser Adresse erreichen.`,
  ],
});
