import type { Language } from '../language.ts';

const EN = {
  title: 'Faults',
  none: 'Nothing is reported.',
  tellsNone: 'This heating has told no faults here so far. That none is shown does not say that there is none.',
  unread: 'The events of the platform cannot be read now; what is shown comes from the heating itself.',
  kinds: {
    fault: 'Fault',
    warning: 'Warning',
    service: 'Service due',
    info: 'Information',
    status: 'State',
    connection: 'Connection lost',
    other: 'Other',
  } as Readonly<Record<string, string>>,
  todo: {
    fault: 'A part of the heating, or all of it, stands still. Note the code, look at the pressure of the water, and call your installer.',
    warning: 'The heating runs, but wants a look. Plan a visit of your installer.',
    service: 'Maintenance is due. Make a date with your installer.',
  } as Readonly<Record<string, string>>,
  meaning: 'The meaning is in the manual of your heating; its display and the app show the same code.',
  restart: 'Restart the gateway',
  restarts: 'Viessmann restarts the gateway. It takes some minutes; the next reads show what stood.',
  said: (text: string) => `Viessmann says: “${text}”`,
  runs: 'The heating runs at this moment.',
  rests: 'The heating does not run at this moment.',
  since: (moment: string) => `since ${moment}`,
  more: (count: number) => `(and ${count} more)`,
  lasts: 'lasts',
  clock: (moment: string) => `by the heating’s clock ${moment}`,
  log: 'Log of the last year',
  show: 'Show',
  failed: 'The log cannot be read now.',
  empty: 'There is nothing in the log.',
  print: 'Print for the installer',
  sheet: 'Messages of the heating, for the installer',
  week: 'The last 7 days',
  facts: { model: 'Model', serial: 'Serial number', gateway: 'Gateway', software: 'Software', printed: 'Printed' } as Readonly<
    Record<string, string>
  >,
};

const DE: typeof EN = {
  title: 'Störungen',
  none: 'Es wird nichts gemeldet.',
  tellsNone: 'Diese Heizung hat hier bisher keine Störungen gemeldet. Dass keine zu sehen ist, heißt nicht, dass es keine gibt.',
  unread: 'Die Ereignisse der Plattform lassen sich gerade nicht lesen; was hier steht, kommt von der Heizung selbst.',
  kinds: {
    fault: 'Störung',
    warning: 'Warnung',
    service: 'Wartung fällig',
    info: 'Information',
    status: 'Zustand',
    connection: 'Verbindung verloren',
    other: 'Anderes',
  },
  todo: {
    fault: 'Ein Teil der Heizung oder die ganze steht still. Den Code notieren, den Wasserdruck ansehen und den Fachbetrieb anrufen.',
    warning: 'Die Heizung läuft, braucht aber einen Blick. Einen Besuch des Fachbetriebs einplanen.',
    service: 'Eine Wartung ist fällig. Einen Termin mit dem Fachbetrieb machen.',
  },
  meaning: 'Die Bedeutung steht in der Anleitung der Heizung; ihr Display und die App zeigen denselben Code.',
  restart: 'Gateway neu starten',
  restarts: 'Viessmann startet das Gateway neu. Das dauert einige Minuten; die nächsten Abfragen zeigen, was stand.',
  said: (text) => `Viessmann sagt dazu: „${text}“`,
  runs: 'Die Heizung läuft in diesem Moment.',
  rests: 'Die Heizung läuft in diesem Moment nicht.',
  since: (moment) => `seit ${moment}`,
  more: (count) => `(und ${count} weitere)`,
  lasts: 'dauert an',
  clock: (moment) => `nach der Uhr der Heizung ${moment}`,
  log: 'Protokoll des letzten Jahres',
  show: 'Anzeigen',
  failed: 'Das Protokoll lässt sich gerade nicht lesen.',
  empty: 'Im Protokoll steht nichts.',
  print: 'Für den Fachbetrieb drucken',
  sheet: 'Meldungen der Heizung, für den Fachbetrieb',
  week: 'Die letzten 7 Tage',
  facts: { model: 'Modell', serial: 'Seriennummer', gateway: 'Gateway', software: 'Software', printed: 'Gedruckt' },
};

/** The texts of the faults. */
export const FAULT_WORDS: Readonly<Record<Language, typeof EN>> = { en: EN, de: DE };
