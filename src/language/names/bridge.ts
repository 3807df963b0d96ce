import type { Language } from '../language.ts';

/** Names by key of entities that are not features: of the bridge's device and of each device. */
const NAMES = {
  answer: { en: 'Answer', de: 'Antwort' },
  broker: { en: 'Broker', de: 'Broker' },
  calls: { en: 'Allowance of calls', de: 'Aufrufkontingent' },
  calls_left: { en: 'Calls left', de: 'Verbleibende Aufrufe' },
  conflict: { en: 'Temporary change', de: 'Vorübergehende Änderung' },
  connection: { en: 'Connection', de: 'Verbindung' },
  fault: { en: 'Fault', de: 'Störung' },
  fault_event: { en: 'Fault event', de: 'Störungsereignis' },
  last_fault: { en: 'Last fault', de: 'Letzte Störung' },
  last_success: { en: 'Last success', de: 'Letzte erfolgreiche Abfrage' },
  login: { en: 'Login', de: 'Anmeldung' },
  login_needed: { en: 'Login needed', de: 'Anmeldung nötig' },
  month_factor: { en: 'Heat per electricity, month', de: 'Arbeitszahl, Monat' },
  plan: { en: 'Rights of the account', de: 'Rechte des Kontos' },
  poll_interval: { en: 'Poll interval', de: 'Abfrageintervall' },
  poll_now: { en: 'Poll now', de: 'Jetzt abfragen' },
  restart_gateway: { en: 'Restart gateway', de: 'Gateway neu starten' },
  service_due: { en: 'Service due', de: 'Wartung fällig' },
  starts_per_day: { en: 'Starts per day, 30 days', de: 'Starts je Tag, 30 Tage' },
  stale: { en: 'Frozen data', de: 'Daten eingefroren' },
  thermostat: { en: 'Thermostat', de: 'Thermostat' },
} as const satisfies Readonly<Record<string, Readonly<Record<Language, string>>>>;

/** The last-fault text of a device without a fault so far. */
export const NO_FAULT: Readonly<Record<Language, string>> = { en: 'No fault', de: 'Keine Störung' };

/** The key of an entity that is not a feature. */
export type OwnKey = keyof typeof NAMES;

/** The name of an entity that is not a feature. */
export const ownName = (key: OwnKey, language: Language): string => NAMES[key][language];
