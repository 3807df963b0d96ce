import { dictionary, textsOf } from '../texts.ts';

/** The texts of the versions of a schedule. */
export const VERSION_WORDS = textsOf({
  title: ['Versions', 'Versionen'],
  present: ['As it is now', 'Wie jetzt'],
  season: dictionary({ summer: ['summer', 'Sommer'], winter: ['winter', 'Winter'] }),
  seasons: {
    title: ['Seasons', 'Jahreszeiten'],
    unfit: ['This week does not fit this schedule.', 'Diese Woche passt nicht zu diesem Zeitplan.'],
    otherDays: ['the other days', 'an den anderen Tagen'],
    off: [
      'Nothing is sent before you switch it on. Then each week is written when its season begins, and at once if the time below is past.',
      'Gesendet wird erst, wenn du es einschaltest. Dann wird jede Woche geschrieben, wenn ihre Jahreszeit beginnt, und sofort, wenn die Zeit unten schon vorbei ist.',
    ],
    changed: [
      'The seasons or their weeks have changed. Nothing is sent before you switch it on again.',
      'Die Jahreszeiten oder ihre Wochen haben sich geändert. Gesendet wird erst, wenn du es wieder einschaltest.',
    ],
    on: [
      'These weeks are written once, when their season begins, and announced a day before.',
      'Diese Wochen werden einmal geschrieben, wenn ihre Jahreszeit beginnt, und einen Tag vorher angekündigt.',
    ],
  },
  follows: ['This schedule follows the seasons', 'Dieser Zeitplan folgt den Jahreszeiten'],
  seasonNow: [(season: string) => `now it is ${season}`, (season: string) => `jetzt ist ${season}`],
  seasonNext: [
    (season: string, when: string) => `its ${season} week comes ${when}`,
    (season: string, when: string) => `die Woche für den ${season} gilt ab ${when}`,
  ],
  seasonMean: [
    (mean: string, limit: string) => `mean outside ${mean}, limit ${limit}`,
    (mean: string, limit: string) => `außen im Mittel ${mean}, Grenze ${limit}`,
  ],
  seasonWaits: dictionary({
    approval: [
      'nothing is sent before you switch the seasons on, on the page Schedules',
      'gesendet wird erst, wenn du die Jahreszeiten auf der Seite Zeitpläne einschaltest',
    ],
    temporary: ['waits for the end of a temporary change', 'wartet auf das Ende einer vorübergehenden Änderung'],
    outside: [
      'the mean outside temperature of three days is not known yet',
      'das Drei-Tage-Mittel der Außentemperatur ist noch nicht bekannt',
    ],
    refused: [
      'its week was refused; the bridge tries again at least once a day',
      'die Woche wurde abgelehnt; die Bridge versucht es mindestens einmal am Tag wieder',
    ],
    calls: ['the calls of a day for plans and seasons are used up', 'die Aufrufe für Pläne und Jahreszeiten sind für heute verbraucht'],
    unknown: ['no device has this name', 'kein Gerät heißt so'],
  }),
  elsewhere: [(when: string) => `Changed elsewhere, after ${when}`, (when: string) => `Anderswo geändert, nach ${when}`],
  before: ['Before that', 'Davor'],
  none: [
    'The bridge has not changed this week in the last year, so it knows no other version.',
    'Die Bridge hat diese Woche im letzten Jahr nicht geändert und kennt deshalb keine andere Version.',
  ],
  older: ['Older versions', 'Ältere Versionen'],
  named: [(name: string) => `Named ${name}`, (name: string) => `Benannt: ${name}`],
  now: ['Now', 'Jetzt'],
  written: ['Then', 'Dann'],
  equal: ['It equals the present week.', 'Wie die jetzige Woche.'],
  draw: ['Draw this week', 'Diese Woche eintragen'],
  drawn: ['The week is in the drawing. Save to send it.', 'Die Woche ist eingetragen. Zum Senden speichern.'],
  refused: ['The device does not take this week as it is:', 'Das Gerät nimmt diese Woche so nicht an:'],
  nearest: ['The nearest week that it takes:', 'Die ähnlichste Woche, die es annimmt:'],
  modes: [
    'Choose other modes for those that this schedule does not have.',
    'Wähle Ersatz für Betriebsarten, die es in diesem Zeitplan nicht gibt.',
  ],
  instead: [(mode: string) => `Instead of ${mode}`, (mode: string) => `Statt ${mode}`],
  choose: ['Choose', 'Wählen'],
  leaveOut: ['Leave out', 'Weglassen'],
  share: ['Share this week', 'Diese Woche teilen'],
  line: ['The week as one line of text', 'Die Woche als eine Zeile Text'],
  noLine: ['This week has no text form.', 'Diese Woche hat keine Textform.'],
  qr: ['The same line as a QR code', 'Dieselbe Zeile als QR-Code'],
  take: ['Use a shared week', 'Geteilte Woche übernehmen'],
  takeLine: ['A week as text', 'Eine Woche als Text'],
  takeHint: [
    'Paste a shared line, or the text that a phone reads from its QR code.',
    'Füge eine geteilte Zeile ein oder den Text, den ein Handy aus dem QR-Code liest.',
  ],
});
