import type { Language } from './language.ts';

/** The numbers of the reason for the pace of reads: calls a round, and calls of a day that are no reads. */
export type PaceNumbers = { readonly kind: string; readonly reads?: number; readonly others?: number };

const plural = (count: number, one: string, many: string): string => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

const EN = {
  answers: 'Answers to changes',
  statuses: {
    accepted: 'on its way',
    waiting: 'waits',
    applied: 'done',
    unchanged: 'was so already',
    unconfirmed: 'not confirmed',
    superseded: 'replaced',
    rejected: 'not sent',
    failed: 'failed',
    valid: 'checked',
  },
  noAnswers: 'Nothing has been changed since the bridge started.',
  messages: 'Messages of the bridge',
  noMessages: 'No messages.',
  levels: { error: 'error', warn: 'warning', info: 'note', debug: 'detail' } as Readonly<Record<string, string>>,
  calls24h: 'Calls of the last 24 hours',
  callCauses: {
    poll: 'Regular reads',
    confirm: 'Reads around changes',
    command: 'Changes sent',
    discovery: 'Looking for devices',
    identity: 'Login',
    events: 'Reads of faults and events',
    earlier: 'Not known what for',
    others: 'Other programs with this login',
  } as Readonly<Record<string, string>>,
  callsSum: (used: number, left: number) => `${plural(used, 'call', 'calls')} used, ${left.toLocaleString('en')} left`,
  callsEvery: (time: string) => `A read of everything every ${time}.`,
  seconds: (count: number) => plural(count, 'second', 'seconds'),
  minutes: (count: number) => plural(count, 'minute', 'minutes'),
  bugReport: 'Bug report',
  bugReportHint: 'A text to copy: version, system, settings, quota, health and the last messages. Passwords and tokens are not in it.',
  makeBugReport: 'Make the text',
  bugReportText: 'Text for a bug report',
  paces: {
    wanted: () => 'That is what the settings ask for.',
    ten: ({ reads }: PaceNumbers) => `Faster is not possible with ${reads} calls a round: the platform allows only so many in ten minutes.`,
    day: ({ others }: PaceNumbers) =>
      `This is as often as the daily allowance permits. Some calls are kept for your changes${others ? `, and ${others} a day for other things` : ''}.`,
    slowed: ({ reads }: PaceNumbers) => `Slower for now: many calls of the last 24 hours are used. A round takes ${reads}.`,
    waits: () => 'No call is left for reading until earlier ones no longer count. What is left is for changes.',
    refused: () => 'The platform takes no calls until then.',
  },
};

const DE: typeof EN = {
  answers: 'Antworten auf Änderungen',
  statuses: {
    accepted: 'unterwegs',
    waiting: 'wartet',
    applied: 'erledigt',
    unchanged: 'war schon so',
    unconfirmed: 'nicht bestätigt',
    superseded: 'ersetzt',
    rejected: 'nicht gesendet',
    failed: 'gescheitert',
    valid: 'geprüft',
  },
  noAnswers: 'Seit dem Start der Bridge wurde nichts geändert.',
  messages: 'Meldungen der Bridge',
  noMessages: 'Keine Meldungen.',
  levels: { error: 'Fehler', warn: 'Warnung', info: 'Hinweis', debug: 'Einzelheit' },
  calls24h: 'Aufrufe der letzten 24 Stunden',
  callCauses: {
    poll: 'Regelmäßiges Lesen',
    confirm: 'Lesen rund um Änderungen',
    command: 'Gesendete Änderungen',
    discovery: 'Suche nach Geräten',
    identity: 'Anmeldung',
    events: 'Lesen von Störungen und Ereignissen',
    earlier: 'Wofür, ist nicht bekannt',
    others: 'Andere Programme mit dieser Anmeldung',
  },
  callsSum: (used, left) => `${used.toLocaleString('de')} verbraucht, ${left.toLocaleString('de')} übrig`,
  callsEvery: (time) => `Alles wird alle ${time} gelesen.`,
  seconds: (count) => `${count} Sekunden`,
  minutes: (count) => `${count} Minuten`,
  bugReport: 'Fehlerbericht',
  bugReportHint:
    'Ein Text zum Kopieren: Version, System, Einstellungen, Kontingent, Zustand und die letzten Meldungen. Passwörter und Tokens stehen nicht darin.',
  makeBugReport: 'Text erstellen',
  bugReportText: 'Text für einen Fehlerbericht',
  paces: {
    wanted: () => 'So verlangen es die Einstellungen.',
    ten: ({ reads }) => `Schneller geht es mit ${reads} Aufrufen je Runde nicht: Die Plattform erlaubt nur so viele in zehn Minuten.`,
    day: ({ others }) =>
      `So oft, wie es die Aufrufe eines Tages erlauben. Einige bleiben für deine Änderungen${others ? `, und ${others} am Tag für anderes` : ''}.`,
    slowed: ({ reads }) => `Vorerst langsamer: Viele Aufrufe der letzten 24 Stunden sind verbraucht. Eine Runde braucht ${reads}.`,
    waits: () => 'Zum Lesen ist kein Aufruf frei, bis frühere nicht mehr zählen. Was übrig ist, ist für Änderungen.',
    refused: () => 'Bis dahin nimmt die Plattform keine Aufrufe an.',
  },
};

/** The texts of the log page in each language. */
export const LOG_WORDS: Readonly<Record<Language, typeof EN>> = { en: EN, de: DE };
