import { textsOf } from '../texts.ts';

/** The texts of the calendar. */
export const CALENDAR_WORDS = textsOf({
  title: ['Calendar', 'Kalender'],
  off: [
    'This is what the events of the next 14 days would do. Nothing is sent before you switch it on.',
    'Das würden die Termine der nächsten 14 Tage bewirken. Gesendet wird erst, wenn du es einschaltest.',
  ],
  changed: [
    'The rules have changed. This is what they would do; nothing is sent before you switch it on again.',
    'Die Regeln haben sich geändert. Das würden sie bewirken; gesendet wird erst, wenn du es wieder einschaltest.',
  ],
  on: [
    'What the events of the next 14 days do. All of it ends by itself.',
    'Das bewirken die Termine der nächsten 14 Tage. Alles endet von selbst.',
  ],
  approve: ['Switch on as shown', 'So einschalten'],
  switchOff: ['Switch off', 'Ausschalten'],
  nothing: ['In the next 14 days no event changes the heating.', 'In den nächsten 14 Tagen ändert kein Termin die Heizung.'],
  noCalendar: ['No events have arrived yet.', 'Es gibt noch keine Termine.'],
  does: {
    profile: [(name: string) => `week “${name}”`, (name: string) => `Woche „${name}“`],
    program: [(name: string) => `program ${name}`, (name: string) => `Programm ${name}`],
    holiday: ['holiday of the heating', 'Urlaub der Heizung'],
    holidayAtHome: ['holiday at home', 'Urlaub zu Hause'],
  },
  instead: [(titles: string) => `instead of ${titles}`, (titles: string) => `statt ${titles}`],
  unmatched: [(titles: string) => `No rule matches: ${titles}`, (titles: string) => `Ohne passende Regel: ${titles}`],
  without: [
    (titles: string) => `No device here supports what the rule says: ${titles}`,
    (titles: string) => `Kein Gerät hier kann das, was die Regel verlangt: ${titles}`,
  ],
  unread: [
    (name: string) => `The calendar ${name} cannot be read; the log says why. It is tried again.`,
    (name: string) => `Der Kalender ${name} lässt sich nicht abrufen; den Grund nennt das Protokoll. Es wird weiter versucht.`,
  ],
  stale: [
    (name: string) => `The calendar ${name} has sent nothing for two days; its events do not begin.`,
    (name: string) => `Vom Kalender ${name} kam zwei Tage lang nichts; seine Termine beginnen nicht.`,
  ],
  skipped: [
    (name: string, count: number) =>
      count === 1 ? `One event of ${name} is invalid and left out.` : `${count} events of ${name} are invalid and left out.`,
    (name: string, count: number) =>
      count === 1 ? `Ein Termin von ${name} ist ungültig und entfällt.` : `${count} Termine von ${name} sind ungültig und entfallen.`,
  ],
  rules: ['Rules', 'Regeln'],
  only: ['without a name', 'ohne Namen'],
  owner: {
    hand: [
      'This schedule was changed by hand: plans leave it alone until their next event.',
      'Dieser Zeitplan wurde von Hand geändert: Pläne ändern ihn erst wieder mit ihrem nächsten Termin.',
    ],
    calendar: [
      (why: string) => `The calendar controls this schedule now: ${why}`,
      (why: string) => `Diesen Zeitplan steuert gerade der Kalender: ${why}`,
    ],
    price: [
      (why: string) => `The price plan controls this schedule now: ${why}`,
      (why: string) => `Diesen Zeitplan steuert gerade der Preisplan: ${why}`,
    ],
    waits: [
      (why: string) => `A plan changes this schedule when a call is free for it: ${why}`,
      (why: string) => `Ein Plan ändert diesen Zeitplan, sobald ein Aufruf dafür frei ist: ${why}`,
    ],
  },
});
