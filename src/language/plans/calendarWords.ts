import type { Language } from '../language.ts';

const EN = {
  title: 'Calendar',
  off: 'This is what the events of the next 14 days would do. Nothing is sent before you switch it on.',
  changed: 'The rules have changed. This is what they would do; nothing is sent before you switch it on again.',
  on: 'What the events of the next 14 days do. All of it ends by itself.',
  approve: 'Switch on as shown',
  switchOff: 'Switch off',
  nothing: 'In the next 14 days no event changes the heating.',
  noCalendar: 'No events have arrived yet.',
  does: {
    profile: (name: string) => `week “${name}”`,
    program: (name: string) => `program ${name}`,
    holiday: 'holiday of the heating',
    holidayAtHome: 'holiday at home',
  },
  instead: (titles: string) => `instead of ${titles}`,
  unmatched: (titles: string) => `No rule fits: ${titles}`,
  without: (titles: string) => `Nothing here takes what the rule says: ${titles}`,
  unread: (name: string) => `The calendar ${name} cannot be read; the log says why. It is tried again.`,
  stale: (name: string) => `Nothing was heard of the calendar ${name} for two days; nothing new begins by it.`,
  skipped: (name: string, count: number) => `${count} events of ${name} make no sense and are left out.`,
  rules: 'Rules',
  only: 'the calendar',
  owner: {
    hand: 'This schedule was changed by hand: plans leave it alone until their next event.',
    calendar: (why: string) => `The calendar has this schedule now: ${why}`,
    price: (why: string) => `The price plan has this schedule now: ${why}`,
    waits: (why: string) => `A plan waits to change this schedule, as no call is left for it at present: ${why}`,
  },
};

/** The texts of the calendar. */
type CalendarWords = typeof EN;

const DE: CalendarWords = {
  title: 'Kalender',
  off: 'Das würden die Termine der nächsten 14 Tage tun. Gesendet wird nichts, bevor du es einschaltest.',
  changed: 'Die Regeln sind andere als zuvor. Das würden sie tun; gesendet wird nichts, bevor du es wieder einschaltest.',
  on: 'Das tun die Termine der nächsten 14 Tage. Alles davon endet von selbst.',
  approve: 'So einschalten',
  switchOff: 'Ausschalten',
  nothing: 'In den nächsten 14 Tagen ändert kein Termin die Heizung.',
  noCalendar: 'Noch sind keine Termine gekommen.',
  does: {
    profile: (name) => `Woche „${name}“`,
    program: (name) => `Programm ${name}`,
    holiday: 'Urlaub der Heizung',
    holidayAtHome: 'Urlaub zu Hause',
  },
  instead: (titles) => `statt ${titles}`,
  unmatched: (titles) => `Keine Regel passt: ${titles}`,
  without: (titles) => `Kein Gerät hier kann, was die Regel sagt: ${titles}`,
  unread: (name) => `Der Kalender ${name} ist nicht zu lesen; das Protokoll sagt, warum. Es wird wieder versucht.`,
  stale: (name) => `Vom Kalender ${name} kam zwei Tage lang nichts; nach ihm beginnt nichts Neues.`,
  skipped: (name, count) => `${count} Termine von ${name} ergeben keinen Sinn und bleiben weg.`,
  rules: 'Regeln',
  only: 'ohne Namen',
  owner: {
    hand: 'Dieser Zeitplan ist von Hand geändert: Pläne lassen ihn bis zu ihrem nächsten Termin in Ruhe.',
    calendar: (why) => `Diesen Zeitplan hat jetzt der Kalender: ${why}`,
    price: (why) => `Diesen Zeitplan hat jetzt der Preisplan: ${why}`,
    waits: (why) => `Ein Plan will diesen Zeitplan ändern, hat aber gerade keinen Aufruf dafür übrig: ${why}`,
  },
};

export const CALENDAR_WORDS: Readonly<Record<Language, CalendarWords>> = { en: EN, de: DE };
