import { dictionary, textsOf } from '../texts.ts';

/** The texts of the faults. */
export const FAULT_WORDS = textsOf({
  title: ['Faults', 'Störungen'],
  none: ['Nothing is reported.', 'Es wird nichts gemeldet.'],
  old: ['Nothing was reported at the last read.', 'Bei der letzten Abfrage wurde nichts gemeldet.'],
  tellsNone: [
    'This heating has reported no faults here so far. That does not mean that there are none.',
    'Diese Heizung hat hier noch nie eine Störung gemeldet. Das heißt nicht, dass es keine gibt.',
  ],
  unread: [
    (last: string, why: string) =>
      `The events of the platform cannot be read now: ${why} (last read: ${last}). What is shown comes from the heating itself.`,
    (last: string, why: string) =>
      `Die Ereignisse der Plattform lassen sich gerade nicht abfragen: ${why} (zuletzt: ${last}). Diese Meldungen kommen von der Heizung selbst.`,
  ],
  refused: ['Viessmann refuses them to this account, 402', 'Viessmann verweigert sie diesem Konto, 402'],
  inLog: ['the log says why', 'den Grund nennt das Protokoll'],
  kinds: dictionary({
    fault: ['Fault', 'Störung'],
    warning: ['Warning', 'Warnung'],
    service: ['Service due', 'Wartung fällig'],
    info: ['Information', 'Information'],
    status: ['State', 'Zustand'],
    connection: ['Connection lost', 'Verbindung verloren'],
    other: ['Other', 'Sonstiges'],
  }),
  todo: dictionary({
    fault: [
      'The heating, or a part of it, may have stopped. Note the code, check the water pressure, and call your installer.',
      'Vielleicht steht die Heizung oder ein Teil davon still. Notiere den Code, prüfe den Wasserdruck und ruf deinen Fachbetrieb an.',
    ],
    warning: [
      'This does not stop the heating, but it should be looked at. Plan a visit of your installer.',
      'Das hält die Heizung nicht an, sollte aber geprüft werden. Mach einen Termin mit deinem Fachbetrieb.',
    ],
    service: ['Maintenance is due. Make a date with your installer.', 'Eine Wartung ist fällig. Mach einen Termin mit deinem Fachbetrieb.'],
  }),
  meaning: [
    'The meaning is in the manual of your heating; its display and the app show the same code.',
    'Was er bedeutet, steht in der Anleitung der Heizung; ihr Display und die App zeigen denselben Code.',
  ],
  restart: ['Restart the gateway', 'Gateway neu starten'],
  restarts: [
    'Viessmann restarts the gateway. This takes some minutes; after that the values change again.',
    'Viessmann startet das Gateway neu. Das dauert einige Minuten; danach ändern sich die Werte wieder.',
  ],
  said: [(text: string) => `Viessmann says: “${text}”`, (text: string) => `Viessmann sagt dazu: „${text}“`],
  quoted: [(text: string) => `“${text}”`, (text: string) => `„${text}“`],
  runs: ['The heating runs at this moment.', 'Die Heizung läuft gerade.'],
  rests: [
    'The heating does not run at this moment; without a demand for heat this is normal.',
    'Die Heizung läuft gerade nicht; ohne Bedarf an Wärme ist das normal.',
  ],
  since: [(moment: string) => `since ${moment}`, (moment: string) => `seit ${moment}`],
  more: [(count: number) => `(and ${count} more)`, (count: number) => `(und ${count} weitere)`],
  lasts: ['ongoing', 'dauert an'],
  clock: [(moment: string) => `by the heating’s clock ${moment}`, (moment: string) => `nach der Uhr der Heizung ${moment}`],
  log: ['Log of the last year', 'Protokoll des letzten Jahres'],
  show: ['Show', 'Anzeigen'],
  failed: ['The log cannot be read now.', 'Das Protokoll lässt sich gerade nicht laden.'],
  empty: ['There is nothing in the log.', 'Das Protokoll ist leer.'],
  print: ['Print for the installer', 'Für den Fachbetrieb drucken'],
  sheet: ['Messages of the heating, for the installer', 'Meldungen der Heizung, für den Fachbetrieb'],
  week: ['The last 7 days', 'Die letzten 7 Tage'],
  facts: dictionary({
    model: ['Model', 'Modell'],
    serial: ['Serial number', 'Seriennummer'],
    gateway: ['Gateway', 'Gateway'],
    software: ['Software', 'Software'],
    printed: ['Printed', 'Gedruckt'],
  }),
});
