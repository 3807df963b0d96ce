import { dictionary, textsOf } from '../texts.ts';

/** The texts of the change history. */
export const HISTORY_WORDS = textsOf({
  history: ['Changes', 'Änderungen'],
  historyHint: [
    'What was changed over this bridge within a year, newest first.',
    'Änderungen eines Jahres über diese Bridge, Neuestes zuerst.',
  ],
  noChanges: ['Nothing has been changed yet.', 'Noch wurde nichts geändert.'],
  changesNotLoaded: ['The changes cannot be loaded now.', 'Die Änderungen können gerade nicht geladen werden.'],
  olderChanges: ['Older changes', 'Ältere Änderungen'],
  by: dictionary({
    mqtt: ['MQTT', 'MQTT'],
    page: ['this page', 'diese Seite'],
    end: ['end of a temporary change', 'Ende einer vorübergehenden Änderung'],
    season: ['the season', 'die Jahreszeit'],
    calendar: ['calendar', 'Kalender'],
    price: ['price plan', 'Preisplan'],
  }),
  byUser: [(name: string) => `${name}, on this page`, (name: string) => `${name}, auf dieser Seite`],
  undoneBy: [(who: string) => `undo, ${who}`, (who: string) => `zurückgenommen, ${who}`],
  changeUntil: [(when: string) => `until ${when}`, (when: string) => `bis ${when}`],
  takeBack: ['Take back', 'Zurücknehmen'],
  takeBackWhat: [
    (what: string, when: string) => `Take back: ${what}, ${when}`,
    (what: string, when: string) => `Zurücknehmen: ${what}, ${when}`,
  ],
  noTakeBack: dictionary({
    nothing: ['Nothing was changed.', 'Es wurde nichts geändert.'],
    is_so: ['It is again as it was before.', 'Es ist wieder wie zuvor.'],
    unknown: [
      'What was before is not known, so this cannot be taken back.',
      'Was davor war, ist nicht bekannt; das lässt sich nicht zurücknehmen.',
    ],
    gone: [
      'The device does not show this any more, so this cannot be taken back.',
      'Das Gerät zeigt das nicht mehr; das lässt sich nicht zurücknehmen.',
    ],
    not_writable: [
      'No command writes this now, so this cannot be taken back.',
      'Kein Befehl schreibt das jetzt; das lässt sich nicht zurücknehmen.',
    ],
  }),
  switched: { true: ['on', 'an'], false: ['off', 'aus'] },
  notKnown: ['unknown', 'unbekannt'],
});
