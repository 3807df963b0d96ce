import { plural } from '../language.ts';
import { dictionary, textsOf } from '../texts.ts';
import { placeDe } from './mistakesDe.ts';
import { type Facts, serverSentenceDe } from './serverDe.ts';

/** The texts of the first set-up; the settings use its forms too. */
export const STEP_WORDS = textsOf({
  // The one-time code.
  codeTitle: ['Set up heating2mqtt', 'heating2mqtt einrichten'],
  codeWhy: [
    "To make sure it is you, enter the code from heating2mqtt's log.",
    'Gib zur Sicherheit den Code aus dem Protokoll von heating2mqtt ein.',
  ],
  code: ['Code from the log', 'Code aus dem Protokoll'],
  codeWhere: ['Where is the log?', 'Wo ist das Protokoll?'],
  codeService: ['As a Linux service', 'Als Dienst unter Linux'],
  codeNas: [
    'On a NAS: open the container in its container app, and there the log. On a terminal: where you started heating2mqtt.',
    'Auf einem NAS: den Container in seiner Container-App öffnen, dort das Protokoll. Im Terminal: dort, wo du heating2mqtt gestartet hast.',
  ],
  codeHint: [
    'It looks like 7K3M-Q9TP-X2B4D and works once, for 15 minutes. After that the log shows a new one.',
    'Er sieht aus wie 7K3M-Q9TP-X2B4D und gilt einmal, 15 Minuten lang. Danach steht ein neuer im Protokoll.',
  ],
  codeWrong: [
    'That code is wrong or has expired. Use the newest one in the log.',
    'Dieser Code ist falsch oder abgelaufen. Nimm den neuesten aus dem Protokoll.',
  ],
  // Steps.
  steps: {
    broker: ['Broker', 'Broker'],
    client: ['Client', 'Client'],
    login: ['Login', 'Anmeldung'],
    devices: ['Devices', 'Geräte'],
    finish: ['Finish', 'Fertig'],
  },
  stepOf: [(number: number, of: number) => `Step ${number} of ${of}`, (number: number, of: number) => `Schritt ${number} von ${of}`],
  stepsLabel: ['Steps', 'Schritte'],
  done: ['done', 'erledigt'],
  back: ['Back', 'Zurück'],
  next: ['Go on', 'Weiter'],
  skipTest: ['Go on without a test', 'Ohne Test weiter'],
  /** A place in a settings file, such as `config/local.yaml, line 2`. */
  place: [(where: string) => where, placeDe],
  fixedBy: [
    (where: string) => `Set by ${where}; it can only be changed there.`,
    (where: string) => `Durch ${placeDe(where)} festgelegt und nur dort zu ändern.`,
  ],
  fixedByOptions: [
    'Set in the configuration of the app in Home Assistant; it can only be changed there.',
    'In der Konfiguration der App in Home Assistant festgelegt und nur dort zu ändern.',
  ],
  keepSecret: ['A password is stored. Leave this empty to keep it.', 'Ein Passwort ist gespeichert. Leer lassen, um es zu behalten.'],
  // Client.
  clientTitle: ['Register a client with Viessmann', 'Einen Client bei Viessmann anlegen'],
  clientText: [
    'Viessmann asks you to register each program yourself. It is free and done once:',
    'Bei Viessmann musst du jedes Programm selbst als Client anmelden. Das ist kostenlos und nur einmal nötig:',
  ],
  clientSteps: [
    [
      "Open Viessmann's developer portal and log in with your ViCare account.",
      'Add a client. Give it any name, and leave reCAPTCHA switched off.',
      'Enter this as its redirect address, exactly as it stands here:',
      'Save, and copy the client id that the portal shows.',
    ],
    [
      'Öffne das Entwicklerportal von Viessmann und melde dich mit deinem ViCare-Konto an.',
      'Lege einen Client an. Der Name ist beliebig, und reCAPTCHA bleibt aus.',
      'Trage diese Redirect-Adresse (Redirect URI) ein, genau so, wie sie hier steht:',
      'Speichere und kopiere dann die Client-ID, die das Portal zeigt.',
    ],
  ],
  redirect: ['Redirect address', 'Redirect-Adresse'],
  copy: ['Copy', 'Kopieren'],
  copied: ['Copied.', 'Kopiert.'],
  copyByHand: ['Selected: now copy it with Ctrl+C or your menu.', 'Markiert: jetzt mit Strg+C oder deinem Menü kopieren.'],
  redirectChoice: ['How the login comes back', 'Rückkehr nach der Anmeldung'],
  redirectPaste: ['I paste an address after the login (works everywhere)', 'Ich füge nach der Anmeldung eine Adresse ein (geht überall)'],
  redirectHere: [
    'Return to this page automatically (only if you always open it at this address)',
    'Automatisch zurück auf diese Seite (nur wenn du sie immer unter dieser Adresse öffnest)',
  ],
  redirectOther: ['The address that is registered already', 'Bereits eingetragene Adresse'],
  clientId: ['Client ID', 'Client-ID'],
  clientIdHint: ['A new client can take up to an hour before it works.', 'Ein neuer Client funktioniert manchmal erst nach einer Stunde.'],
  loginFaults: dictionary({
    invalid_client: [
      'Viessmann does not know this client id (yet). Compare it with the portal; a new client can take up to an hour before it works.',
      'Viessmann kennt diese Client-ID (noch) nicht. Vergleiche sie mit dem Portal; ein neuer Client funktioniert manchmal erst nach einer Stunde.',
    ],
    redirect: [
      'Viessmann does not accept this redirect address for the client. It must stand in the portal exactly as it stands here.',
      'Viessmann nimmt diese Redirect-Adresse für den Client nicht an. Sie muss im Portal genau so stehen wie hier.',
    ],
    invalid: [
      'This address belongs to an earlier login, or is not complete. Open the login page again; this time you need no password.',
      'Diese Adresse gehört zu einer früheren Anmeldung oder ist nicht vollständig. Öffne die Anmeldung noch einmal; diesmal brauchst du kein Passwort.',
    ],
    invalid_grant: [
      'That took longer than 20 seconds. Press “Open the login page” again; this time you need no password.',
      'Das hat länger als 20 Sekunden gedauert. Drücke noch einmal auf „Anmeldung öffnen“; diesmal brauchst du kein Passwort.',
    ],
    access_denied: [
      'The login was denied, so nothing was changed. Begin again, and allow the access.',
      'Die Anmeldung wurde abgelehnt, also wurde nichts geändert. Beginne noch einmal und erlaube den Zugriff.',
    ],
    no_login: [
      'This login link is used up. Here is a new one; it is quicker the second time.',
      'Dieser Anmeldelink ist verbraucht. Hier ist ein neuer; beim zweiten Mal geht es schneller.',
    ],
  }),
  clientCheck: ['Check and go on', 'Prüfen und weiter'],
  drawing: {
    label: [
      'Drawing of the form in the portal: Name is free, Google reCAPTCHA is off, the redirect address stands in Redirect URIs; after saving, the client id stands in the list.',
      'Zeichnung des Formulars im Portal: Name ist frei, Google reCAPTCHA ist aus, die Redirect-Adresse steht unter Redirect URIs; nach dem Speichern steht die Client-ID in der Liste.',
    ],
    off: ['off', 'aus'],
    here: ['here', 'hierhin'],
    id: ['Client ID', 'Client ID'],
    take: ['this one', 'diese'],
  },
  // Login.
  loginTitle: ['Log in with your ViCare account', 'Mit deinem ViCare-Konto anmelden'],
  loggedInAs: [(name: string) => `Logged in as ${name}.`, (name: string) => `Angemeldet als ${name}.`],
  loggedIn: ['Logged in.', 'Angemeldet.'],
  loginAgain: ['Log in again', 'Neu anmelden'],
  loginOneTap: [
    'The login page opens in a new tab, and comes back here by itself.',
    'Die Anmeldung öffnet sich in einem neuen Tab und kommt von selbst hierher zurück.',
  ],
  loginPaste: [
    [
      'Open the login page. It opens in a new tab.',
      'Log in there. The tab then shows an error page ("cannot be reached"). That is expected.',
      'Copy the whole address of that error page, and paste it here, within 20 seconds.',
    ],
    [
      'Öffne die Anmeldung. Sie erscheint in einem neuen Tab.',
      'Melde dich dort an. Der Tab zeigt danach eine Fehlerseite („nicht erreichbar“). Das ist so gedacht.',
      'Kopiere innerhalb von 20 Sekunden die ganze Adresse dieser Fehlerseite und füge sie hier ein.',
    ],
  ],
  openLogin: ['Open the login page', 'Anmeldung öffnen'],
  pasteHere: ['The address of the error page', 'Die Adresse der Fehlerseite'],
  pasteHint: [(redirect: string) => `It begins with ${redirect}?code=`, (redirect: string) => `Sie beginnt mit ${redirect}?code=`],
  pasteSeconds: [
    (seconds: number) => `${plural(seconds, 'second', 'seconds')} left to paste`,
    (seconds: number) => `Noch ${plural(seconds, 'Sekunde', 'Sekunden')} zum Einfügen`,
  ],
  pasteLate: [
    'That may be too late now. Try it all the same, or open the login page once more: this time you need no password.',
    'Das ist jetzt vielleicht zu spät. Versuche es trotzdem, oder öffne die Anmeldung noch einmal: Diesmal brauchst du kein Passwort.',
  ],
  again: ['Begin again', 'Neu anfangen'],
  checking: ['Checking …', 'Wird geprüft …'],
  noAddress: [
    'That is not the address of the error page. It contains code= and state=; copy all of it.',
    'Das ist nicht die Adresse der Fehlerseite. Sie enthält code= und state=; kopiere sie ganz.',
  ],
  waitingForTab: ['Waiting for the login in the other tab …', 'Warten auf die Anmeldung im anderen Tab …'],
  // Devices.
  devicesTitle: ['Which devices?', 'Welche Geräte?'],
  devicesText: [
    'Each device gets a name of its own. It is part of the topics and of the names in Home Assistant, so keep it short.',
    'Jedes Gerät bekommt einen eigenen Namen. Er steht in den Topics und in den Namen in Home Assistant; halte ihn kurz.',
  ],
  searching: ['Searching for devices …', 'Geräte werden gesucht …'],
  searchAgain: ['Search again (1 call)', 'Noch einmal suchen (1 Aufruf)'],
  noDevices: [
    'The account has no devices. Did you log in with your ViCare account?',
    'Das Konto hat keine Geräte. Hast du dich mit deinem ViCare-Konto angemeldet?',
  ],
  byHandText: [
    'This platform has no list of devices. Enter the numbers of each device; the pages of your platform show them.',
    'Diese Plattform hat keine Geräteliste. Trage die Nummern jedes Geräts ein; du findest sie auf den Seiten deiner Plattform.',
  ],
  installation: ['Number of the installation', 'Nummer der Anlage'],
  gateway: ['Serial number of the gateway', 'Seriennummer des Gateways'],
  deviceId: ['Id of the device, often 0', 'Kennung des Geräts, oft 0'],
  addDevice: ['Add this device', 'Dieses Gerät hinzufügen'],
  noMain: [
    'There is no main account here: each account has a login and devices of its own.',
    'Hier gibt es kein Hauptkonto: Jedes Konto hat seine eigene Anmeldung und seine eigenen Geräte.',
  ],
  deviceName: ['Name', 'Name'],
  useDevice: [(what: string) => `Use ${what}`, (what: string) => `${what} verwenden`],
  deviceIds: [
    (gateway: string, device: string) => `Gateway ${gateway}, device ${device}`,
    (gateway: string, device: string) => `Gateway ${gateway}, Gerät ${device}`,
  ],
  skipDevices: ['Go on with all devices', 'Mit allen Geräten weiter'],
  noneChosen: ['Choose at least one device.', 'Wähle mindestens ein Gerät.'],
  unknownModel: ['Unknown model', 'Unbekanntes Modell'],
  // Finish.
  finishTitle: ['Check and start', 'Prüfen und starten'],
  pagePassword: ['Password of this page', 'Passwort dieser Seite'],
  accounts: ['Further accounts …', 'Weitere Konten …'],
  pagePasswordWhy: [
    'Others in your network could open this page too. With a password only you can.',
    'Auch andere in deinem Netzwerk könnten diese Seite öffnen. Mit einem Passwort kannst es nur du.',
  ],
  pagePasswordHint: ['At least 8 characters.', 'Mindestens 8 Zeichen.'],
  pagePasswordOptional: [
    'Only this machine reaches this page, so no password is needed.',
    'Diese Seite ist nur von diesem Rechner aus erreichbar, also ist kein Passwort nötig.',
  ],
  pagePasswordSet: ['A password is set.', 'Ein Passwort ist gesetzt.'],
  checkAgain: ['Test again', 'Noch einmal testen'],
  checkOk: ['ok', 'in Ordnung'],
  checkBad: ['not ok', 'nicht in Ordnung'],
  checkNames: dictionary({
    settings: ['Settings', 'Einstellungen'],
    broker: ['Broker', 'Broker'],
    login: ['Login', 'Anmeldung'],
    platform: ['Platform', 'Plattform'],
    bridge: ['Bridge', 'Bridge'],
    'running bridge': ['Running bridge', 'Laufende Bridge'],
    account: ['Account', 'Konto'],
    page: ['Page', 'Seite'],
  }),
  writtenTo: [(file: string) => `This is written to ${file}:`, (file: string) => `Das wird in ${file} gespeichert:`],
  /** The server's message by code; undefined if the server's own sentence fits. */
  translated: [(_codes: readonly string[], _facts: Facts): string | undefined => undefined, serverSentenceDe],
  brokerFault: [
    (message: string, _code: string) => message,
    (_message: string, code: string) => `Die Verbindung ist fehlgeschlagen (${code}). Prüfe die Adresse.`,
  ],
  missing: [(what: string) => `Still missing: ${what}.`, (what: string) => `Es fehlt noch: ${what}.`],
  start: ['Save and start', 'Speichern und starten'],
  starting: ['The bridge starts …', 'Die Bridge startet …'],
  startFailed: [
    (why: string) => `The bridge did not start with these settings, so nothing was saved. ${why}`,
    (why: string) => `Mit diesen Einstellungen startet die Bridge nicht, also wurde nichts gespeichert. ${why}`,
  ],
});
