import type { Language } from '../language.ts';

const EN = {
  history: 'Changes',
  historyHint: 'What was changed over this bridge within a year, newest first.',
  noChanges: 'Nothing has been changed yet.',
  changesNotLoaded: 'The changes cannot be loaded now.',
  olderChanges: 'Older changes',
  by: {
    mqtt: 'MQTT',
    page: 'this page',
    end: 'end of a temporary change',
    season: 'the season',
    calendar: 'calendar',
    price: 'price plan',
  } as Readonly<Record<string, string>>,
  byUser: (name: string) => `${name}, on this page`,
  undoneBy: (who: string) => `undo, ${who}`,
  changeUntil: (when: string) => `until ${when}`,
  takeBack: 'Take back',
  takeBackWhat: (what: string, when: string) => `Take back: ${what}, ${when}`,
  noTakeBack: {
    nothing: 'Nothing was changed.',
    is_so: 'It is again as it was before.',
    unknown: 'What was before is not known, so this cannot be taken back.',
    gone: 'The device does not show this any more, so this cannot be taken back.',
    not_writable: 'No command writes this now, so this cannot be taken back.',
  } as Readonly<Record<string, string>>,
  switched: { true: 'on', false: 'off' },
  notKnown: 'unknown',
};

const DE: typeof EN = {
  history: 'Änderungen',
  historyHint: 'Änderungen eines Jahres über diese Bridge, Neuestes zuerst.',
  noChanges: 'Noch wurde nichts geändert.',
  changesNotLoaded: 'Die Änderungen können gerade nicht geladen werden.',
  olderChanges: 'Ältere Änderungen',
  by: {
    mqtt: 'MQTT',
    page: 'diese Seite',
    end: 'Ende einer befristeten Änderung',
    season: 'die Jahreszeit',
    calendar: 'Kalender',
    price: 'Preisplan',
  },
  byUser: (name) => `${name}, auf dieser Seite`,
  undoneBy: (who) => `zurückgenommen, ${who}`,
  changeUntil: (when) => `bis ${when}`,
  takeBack: 'Zurücknehmen',
  takeBackWhat: (what, when) => `Zurücknehmen: ${what}, ${when}`,
  noTakeBack: {
    nothing: 'Es wurde nichts geändert.',
    is_so: 'Es ist wieder wie davor.',
    unknown: 'Was davor war, ist nicht bekannt; das lässt sich nicht zurücknehmen.',
    gone: 'Das Gerät zeigt das nicht mehr; das lässt sich nicht zurücknehmen.',
    not_writable: 'Kein Befehl schreibt das jetzt; das lässt sich nicht zurücknehmen.',
  },
  switched: { true: 'an', false: 'aus' },
  notKnown: 'unbekannt',
};

/** The texts of the changes. */
export const HISTORY_WORDS: Readonly<Record<Language, typeof EN>> = { en: EN, de: DE };
