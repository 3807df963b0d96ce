import { LOGIN_HELP } from '../accounts/loginHelp.ts';
import { plural } from '../language.ts';
import { wrongAccountDe } from './mistakesDe.ts';

/** The facts of a server message. */
export type Facts = Readonly<Record<string, unknown>>;

const moment = (instant: unknown): string => new Date(String(instant)).toLocaleString('de-DE', { dateStyle: 'medium', timeStyle: 'short' });
const fromNow = (until: unknown): string => (until === undefined ? 'gerade' : `bis ${moment(until)}`);
const list = (values: unknown): string => (Array.isArray(values) && values.length > 0 ? values.join(', ') : 'keine');

/** Refusals of the page's server, except those of changes (CODES_DE). */
export const REFUSED_DE = {
  bad_request: 'Die Anfrage ist unvollständig.',
  busy: 'Eine andere Änderung wird gerade übernommen. Versuche es gleich noch einmal.',
  internal: 'Interner Fehler der Seite; mehr steht im Protokoll.',
  invalid: 'Die Anfrage hat nicht die richtige Form.',
  login_needed: 'Melde dich zuerst an.',
  method: 'Diese Art der Anfrage ist hier nicht möglich.',
  mistakes: 'In den Einstellungen ist etwas falsch.',
  newer_backup:
    'Diese Sicherung stammt von einer neueren Version von heating2mqtt: Aktualisiere zuerst diese hier. Es wurde nichts geändert.',
  no_backup: 'Die Datei ist keine Sicherung von heating2mqtt, oder sie ist beschädigt. Es wurde nichts geändert.',
  no_code: 'Hier ist kein Code nötig.',
  no_json: 'Die Anfrage hat nicht die richtige Form.',
  not_found: 'Hier ist nichts.',
  not_started: 'Mit diesen Einstellungen startet die Bridge nicht; es gelten die vorigen.',
  password_missing: 'Von anderen Rechnern ist die Seite nur mit web.password in den Einstellungen erreichbar.',
  setup: 'Es gibt noch keine Einstellungen: Schließe zuerst die Einrichtung ab.',
  too_long: 'Diese Adresse ist zu lang.',
  too_many_streams: 'Diese Seite ist zu oft zugleich geöffnet.',
  too_often: 'Das waren zu viele Versuche. Versuche es später noch einmal.',
  worker: 'Dies ist ein Worker einer Flotte: Ändere seine Einstellungen in ihrer Datei, und sichere NATS, wo die Konten liegen.',
  wrong_code: 'Das ist nicht der Code aus dem Protokoll.',
  wrong_host: 'Dieser Name ist hier nicht bekannt: Er fehlt in den Einstellungen unter web.hosts.',
  wrong_password: 'Falsches Passwort.',
} as const;

/** Error texts, by code. */
export const ERRORS_DE = {
  cannot_change: 'Die Datei der Seite (settings.yaml) hat Fehler, darum kann die Seite sie nicht ändern. Ändere sie von Hand.',
  unwritable: 'Die Einstellungen lassen sich nicht speichern: Es fehlt das Recht dazu oder der Platz. Es wurde nichts geändert.',
  failed: 'Das hat nicht geklappt; mehr steht im Protokoll.',
  invalid_scope: 'Die Plattform kennt die verlangten Rechte nicht. Prüfe platform.scope unter „Alle Einstellungen“.',
  invalid_request: 'Die Plattform lehnt die Anmeldung ab. Prüfe Client-ID und Redirect-Adresse.',
  login_failed: 'Die Anmeldung wurde nicht abgeschlossen. Beginne noch einmal.',
  not_stored: 'Die Anmeldung lässt sich nicht speichern: Es fehlt der Platz oder das Recht dazu. Behebe das und beginne noch einmal.',
  wrong_account: ({ command }: Facts) =>
    `Die Anmeldung wurde nicht angenommen: Sie gehört womöglich zu einem anderen Konto als zuvor. Melde dich mit demselben Konto an. ${LOGIN_HELP.de.otherwise(typeof command === 'string' ? command : undefined)}`,
  file_unreadable: 'Eine Datei aus den Einstellungen lässt sich nicht lesen (mqtt.ca, mqtt.cert oder mqtt.key).',
  other_runs: 'Ein anderes heating2mqtt läuft mit demselben data_dir. Beende es, oder gib diesem einen eigenen Ordner.',
  folder_unusable: 'Der Ordner in data_dir lässt sich nicht verwenden: Er fehlt, gehört jemand anderem oder ist kein Ordner.',
  newer_database: 'Die Daten in data_dir stammen von einer neueren Version von heating2mqtt. Nimm diese Version.',
  page_unreachable:
    'Die Seite selbst wäre nicht mehr erreichbar: web.listen ist keine Adresse dieses Rechners, web.port ist belegt oder nicht erlaubt, oder web.password fehlt.',
  account_name:
    'Dieser Name ist nicht möglich: Erlaubt sind höchstens 40 Zeichen aus a bis z, 0 bis 9, _ und -, am Anfang ein Buchstabe oder eine Ziffer, und nicht bridge oder calendar.',
  account_exists: 'Ein Konto mit diesem Namen gibt es schon.',
  account_file: 'Im Ordner accounts.d liegt schon eine Datei für diesen Namen. Nimm einen anderen Namen, oder entferne zuerst die Datei.',
  account_unknown: 'Dieses Konto gibt es nicht mehr.',
  account_fixed: 'Dieses Konto steht in den Einstellungen: Entferne es dort, dann schicke der Bridge SIGHUP, oder starte sie neu.',
  account_settings: 'Damit startet das Konto nicht: Ein Gerät heißt schon so, oder die Client-ID hat nicht die richtige Form.',
  storage: 'In data_dir lässt sich gerade nicht schreiben. Ist der Datenträger voll?',
  rate_limited: ({ until }: Facts) => `Die Plattform nimmt ${fromNow(until)} keine Aufrufe an.`,
  no_quota: ({ until }: Facts) => `Dafür ist ${fromNow(until)} kein Aufruf der Plattform frei.`,
  no_list: 'Mit platform.profile v1 gibt es keine Liste der Geräte; mit v2 gibt es sie.',
  bad_list: 'Die Liste der Anlagen ist unverständlich. Prüfe platform.base_url und platform.paths.',
  not_found_yet: 'Die laufende Bridge kennt die Geräte noch nicht.',
} as const;

const rightDe = (below: unknown): string =>
  `Gib ihm das Recht, ${below} zu lesen und zu schreiben (in der ACL-Datei von Mosquitto: topic readwrite ${below}).`;

/** The tests of `heating2mqtt check`. */
export const CHECKS_DE = {
  settings: ({ kind, count, folder }) => {
    const words = {
      all: 'Alle gefundenen Geräte',
      entries: `Geräte nach ${plural(count, 'Eintrag', 'Einträgen')}`,
      chosen: `${plural(count, 'Gerät', 'Geräte')} gewählt`,
    };
    return `${words[String(kind) as keyof typeof words] ?? plural(count, 'Gerät', 'Geräte')}. Datenordner: ${folder}`;
  },
  broker: ({ address, version }) => `${address} antwortet mit MQTT ${version}.`,
  broker_no_read: ({ topic, below, isClosed }) =>
    `${
      isClosed === true
        ? `Der Broker beendet die Verbindung, wenn dieser Benutzer Topics wie ${topic} abonniert: Es fehlt ein Recht, oder der Broker begrenzt Filter oder Ebenen.`
        : `Was dieser Benutzer an ${topic} sendet, kommt nicht zurück: Er darf dort nicht schreiben oder nicht lesen, und so kommen keine Befehle an.`
    } ${rightDe(below)}`,
  broker_no_dots: ({ topic }) =>
    `Der Broker leitet wegen des Punkts im Namen nichts an ${topic} weiter (NATS vor 2.10 beendet die Verbindung, RabbitMQ macht aus dem Punkt ein „/“). Gib dem Gerät in den Einstellungen einen Namen ohne Punkt.`,
  broker_no_write: ({ topic, below, isClosed }) =>
    `${
      isClosed === true
        ? `Der Broker beendet die Verbindung, wenn dieser Benutzer an ${topic} sendet: Es fehlt ein Recht, oder der Broker hat eine Grenze.`
        : `Der Broker nimmt von diesem Benutzer nicht an, was er an ${topic} sendet.`
    } ${rightDe(below)}`,
  database: ({ file, cause }) =>
    cause === undefined
      ? `Die Datenbank war beschädigt und liegt jetzt unter ${file}. Anmeldung und Werte bleiben; die Enden vorübergehender Änderungen sind verloren.`
      : `Die Datenbank ließ sich nicht schreiben (${cause}). Ist der Datenträger voll?`,
  placeholder: ({ setting, value }) => `${setting} hat noch den Wert aus dem Beispiel: ${value}. Trage deinen eigenen ein.`,
  placeholder_devices: ({ installation }) =>
    `Die Anlage ist noch die aus dem Beispiel: ${installation}. Trage deine eigene Anlage mit Gateway und Gerät ein.`,
  other_client: ({ before, now }) =>
    `Die Anmeldung gehört zum Client ${before}, aber platform.client_id ist ${now} und kann sie nicht erneuern. Trage ${before} ein, oder melde dich neu an.`,
  login_ok: ({ needed, consent }) => {
    if (needed !== undefined)
      return `Angemeldet bis ${moment(needed)}. Melde dich vorher neu an, oder ergänze platform.scope um offline_access.`;
    return consent === undefined ? 'Angemeldet.' : `Angemeldet; die Zustimmung gilt bis ${moment(consent)}.`;
  },
  login_refreshing: () => 'Die Anmeldung wird gerade erneuert.',
  login_failing: () => 'Die Anmeldung lässt sich gerade nicht erneuern. Die Bridge versucht es weiter.',
  login_login_needed: () => 'Eine neue Anmeldung ist nötig.',
  devices: ({ found, chosen }) => `${plural(found, 'Gerät', 'Geräte')} gefunden; gewählt: ${list(chosen)}.`,
  no_devices: ({ found }) =>
    found === 0
      ? 'Dieses Konto hat keine Geräte. Melde dich mit dem an, das die Heizung in der ViCare-App zeigt.'
      : `${plural(found, 'Gerät', 'Geräte')} gefunden, aber keines davon ist gewählt. Vergleiche sie mit devices in den Einstellungen.`,
  features: ({ count }) => `Die Plattform antwortet mit ${plural(count, 'Feature', 'Features')}.`,
  feature: ({ name, properties, commands }) =>
    `${name} hat ${plural(properties, 'Eigenschaft', 'Eigenschaften')}; Befehle: ${list(commands)}.`,
  no_record: ({ feature }) =>
    `Die Plattform antwortet, aber ohne Datensatz${feature === undefined ? '' : ` von ${feature}`}. Vergleiche Anlage, Gateway, Gerät und Features in den Einstellungen.`,
  wrong_settings: wrongAccountDe,
  no_bridge: ({ folder }) => `Mit data_dir ${folder} läuft keine Bridge.`,
  same_client: ({ account }) =>
    `Dieselbe Client-ID hat auch ${account === '' ? 'das Hauptkonto' : `das Konto „${account}“`}; vielleicht zählt Viessmann die Aufrufe beider zusammen. Registriere für jedes Konto einen eigenen Client, trage seine ID ein und melde das Konto neu an.`,
  page_served: () => 'Sie ist erreichbar.',
  page_unserved: () => 'Sie ist dort nicht erreichbar; den Grund nennt das Protokoll der Bridge.',
  page_full: () => 'Alle Verbindungen sind belegt; neue sind erst möglich, wenn andere enden.',
  bridge_silent: () => 'Die laufende Bridge antwortet nicht.',
  bridge_starting: () => 'Die Bridge startet gerade.',
  bridge_stuck: () => 'Die Verbindung zum Broker hängt. Starte die Bridge neu.',
  bridge_broker: () => 'Mit dem Broker verbunden.',
  bridge_unread: () =>
    'Der Broker zeigt der Bridge nichts unterhalb von mqtt.base; Befehle kommen nicht an. Gib ihrem Benutzer dort das Recht, zu lesen und zu schreiben.',
  bridge_no_broker: () => 'Nicht mit dem Broker verbunden; den Grund nennt das Protokoll.',
  bridge_reads: ({ age, poll, waits }) => {
    const read = age === undefined ? 'Noch nichts abgefragt' : `Zuletzt vor ${age} s abgefragt, eine Runde dauert ${poll} s`;
    return `${read}${waits === true ? '; es wird gewartet, bis wieder Aufrufe frei sind' : ''}.`;
  },
  refused: ({ what }) =>
    `Viessmann verweigert diesem Konto (402): ${what}. Das hängt vom Tarif und vom Alter des Kontos ab. An der Heizung und an den Einstellungen ist nichts falsch.`,
  bridge_trouble: ({ minutes, offline }) => {
    const since = minutes === undefined ? 'Bisher konnte' : `Seit ${plural(minutes, 'Minute', 'Minuten')} konnte`;
    const why = offline
      ? 'Deine Heizung ist nicht erreichbar. Prüfe, ob das Gateway Strom und Netzwerk hat.'
      : 'Den Grund nennt das Protokoll.';
    return `${since} nichts abgefragt werden. ${why}`;
  },
} as const satisfies Readonly<Record<string, (facts: Facts) => string>>;

/** The text of the first code that has one; undefined if none has. */
export const serverSentenceDe = (codes: readonly string[], facts: Facts): string | undefined => {
  const sentences: Readonly<Record<string, string | ((facts: Facts) => string)>> = { ...REFUSED_DE, ...ERRORS_DE, ...CHECKS_DE };
  const known = codes.find((code) => Object.hasOwn(sentences, code));
  const sentence = known === undefined ? undefined : sentences[known];
  return typeof sentence === 'function' ? sentence(facts) : sentence;
};
