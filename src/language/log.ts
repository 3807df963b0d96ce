import { dictionary, textsOf } from './texts.ts';

/** Numbers of the poll rate: calls per round, and calls per day that are no reads. */
export type PaceNumbers = { readonly kind: string; readonly reads?: number; readonly others?: number };

const plural = (count: number, one: string, many: string): string => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** The texts of the log page in each language. */
export const LOG_WORDS = textsOf({
  answers: ['Answers to changes', 'Antworten auf Änderungen'],
  statuses: {
    accepted: ['on its way', 'unterwegs'],
    waiting: ['waits', 'wartet'],
    applied: ['done', 'erledigt'],
    unchanged: ['was like that already', 'war schon so'],
    unconfirmed: ['not confirmed', 'nicht bestätigt'],
    superseded: ['replaced', 'ersetzt'],
    rejected: ['not sent', 'nicht gesendet'],
    failed: ['failed', 'fehlgeschlagen'],
    valid: ['checked', 'geprüft'],
  },
  answersHint: [
    'The latest answers since the bridge started, including refusals.',
    'Die letzten Antworten seit dem Start der Bridge, auch Ablehnungen.',
  ],
  noAnswers: ['Nothing has been changed since the bridge started.', 'Seit dem Start der Bridge wurde nichts geändert.'],
  messages: ['Messages of the bridge', 'Meldungen der Bridge'],
  noMessages: ['No messages.', 'Keine Meldungen.'],
  levels: dictionary({
    error: ['error', 'Fehler'],
    warn: ['warning', 'Warnung'],
    info: ['note', 'Hinweis'],
    debug: ['detail', 'Detail'],
  }),
  calls24h: ['Calls of the last 24 hours', 'Aufrufe der letzten 24 Stunden'],
  callCauses: dictionary({
    poll: ['Regular reads', 'Regelmäßige Abfragen'],
    confirm: ['Reads around changes', 'Abfragen rund um Änderungen'],
    command: ['Changes sent', 'Gesendete Änderungen'],
    discovery: ['Looking for devices', 'Suche nach Geräten'],
    identity: ['Login', 'Anmeldung'],
    events: ['Reads of faults and events', 'Abfragen von Störungen und Ereignissen'],
    earlier: ['Unknown purpose', 'Unbekannter Zweck'],
    others: ['Other programs with this login', 'Andere Programme mit dieser Anmeldung'],
  }),
  callsSum: [
    (used: number, left: number) => `${plural(used, 'call', 'calls')} used, ${left.toLocaleString('en')} left`,
    (used: number, left: number) => `${used.toLocaleString('de')} verbraucht, ${left.toLocaleString('de')} übrig`,
  ],
  callsEvery: [(time: string) => `Everything is read every ${time}.`, (time: string) => `Alles wird alle ${time} abgefragt.`],
  seconds: [(count: number) => plural(count, 'second', 'seconds'), (count: number) => `${count} Sekunden`],
  minutes: [(count: number) => plural(count, 'minute', 'minutes'), (count: number) => `${count} Minuten`],
  bugReport: ['Bug report', 'Fehlerbericht'],
  bugReportHint: [
    'A text to copy: version, system, settings, quota, health and the last messages. Passwords and tokens are not in it.',
    'Ein Text zum Kopieren: Version, System, Einstellungen, Kontingent, Zustand und die letzten Meldungen. Passwörter und Tokens stehen nicht darin.',
  ],
  makeBugReport: ['Create the text', 'Text erstellen'],
  bugReportText: ['Text for a bug report', 'Text für einen Fehlerbericht'],
  paces: {
    wanted: [() => 'That is what the settings ask for.', () => 'So steht es in den Einstellungen.'],
    ten: [
      ({ reads }: PaceNumbers) => `Faster is not possible with ${reads} calls a round: the platform allows only so many in ten minutes.`,
      ({ reads }: PaceNumbers) =>
        `Schneller geht es mit ${reads} Aufrufen je Runde nicht: Die Plattform erlaubt nur so viele in zehn Minuten.`,
    ],
    day: [
      ({ others }: PaceNumbers) =>
        `This is as often as the daily allowance permits. Some calls are kept for your changes${others ? `, and ${others} a day for other things` : ''}.`,
      ({ others }: PaceNumbers) =>
        `So oft, wie es die Aufrufe eines Tages erlauben. Einige sind für deine Änderungen reserviert${others ? `, und ${others} am Tag für anderes` : ''}.`,
    ],
    slowed: [
      ({ reads }: PaceNumbers) => `Slower for now: many calls of the last 24 hours are used. A round takes ${reads}.`,
      ({ reads }: PaceNumbers) => `Vorerst langsamer: Viele Aufrufe der letzten 24 Stunden sind verbraucht. Eine Runde braucht ${reads}.`,
    ],
    waits: [
      () => 'No call is left for reading until earlier ones no longer count. What is left is for changes.',
      () => 'Für Abfragen ist kein Aufruf frei, bis frühere nicht mehr zählen. Der Rest ist für Änderungen reserviert.',
    ],
    refused: [() => 'The platform takes no calls until then.', () => 'Bis dahin nimmt die Plattform keine Aufrufe an.'],
  },
});
