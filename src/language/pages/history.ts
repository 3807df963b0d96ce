import { dictionary, textsOf } from '../texts.ts';

/** The texts of the change history. */
export const HISTORY_WORDS = textsOf({
  history: ['Changes', 'Änderungen'],
  historyHint: [
    'Changes made through this bridge in the last year, newest first.',
    'Änderungen über diese Bridge im letzten Jahr, die neueste zuerst.',
  ],
  noChanges: ['Nothing has been changed yet.', 'Noch wurde nichts geändert.'],
  changesNotLoaded: ['The changes cannot be loaded now.', 'Die Änderungen lassen sich gerade nicht laden.'],
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
    is_so: ['The former value is already back.', 'Es ist wieder wie zuvor.'],
    unknown: [
      'The former value is not known, so this cannot be taken back.',
      'Der frühere Wert ist nicht bekannt; das lässt sich nicht zurücknehmen.',
    ],
    gone: [
      'The device does not show this any more, so this cannot be taken back.',
      'Das Gerät zeigt das nicht mehr; das lässt sich nicht zurücknehmen.',
    ],
    not_writable: [
      'The device has no command for this now, so this cannot be taken back.',
      'Das Gerät hat dafür gerade keinen Befehl; das lässt sich nicht zurücknehmen.',
    ],
  }),
  switched: { true: ['on', 'ein'], false: ['off', 'aus'] },
  notKnown: ['unknown', 'unbekannt'],
});
