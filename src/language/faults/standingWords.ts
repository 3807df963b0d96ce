import type { Language } from '../language.ts';

const RESTART_EN =
  'Restart the communication module in the ViCare app (settings, communication module, restart); if that does not help, unplug it for a minute.';
const RESTART_DE =
  'Bitte das Kommunikationsmodul in der ViCare-App neu starten (Einstellungen, Kommunikationsmodul, Neustart); hilft das nicht, für eine Minute den Stecker ziehen.';

const EN = {
  allRefused:
    'Viessmann refuses all data for your account (402). This depends on the plan and the age of the account, and may change. Nothing is wrong with your heating or your settings. heating2mqtt tries again each day.',
  /** The broker does not let the bridge read its own topics. */
  unread:
    'The broker sends heating2mqtt no messages below mqtt.base, so commands from your hub or other programs do not arrive. If it may not write there either, the broker gets no values. Give its user at the broker the right to read and write below mqtt.base (in the ACL file of Mosquitto topic readwrite).',
  /** The broker accepts no topic with a `.`. */
  dotted:
    'The broker does not accept a "." in topics (NATS before 2.10), so devices with a "." in their name are not on MQTT. Rename them in the settings, or update the broker.',
  /** The text for data that no longer changes, by rule, with advice; `tellers`: the counters that stopped. */
  stale: {
    pulse: (since: string) => `Viessmann has shown nothing new of this device since ${since}, although reads work. ${RESTART_EN}`,
    battery: (since: string) =>
      `Viessmann has shown nothing new of this device since ${since}. Check its battery, and that its gateway or repeater is near enough.`,
    hours: (since: string) => `The heating runs, but its consumption has not changed since ${since}. ${RESTART_EN}`,
    heat: (since: string) => `Heat is produced, but the power consumption has not changed since ${since}. ${RESTART_EN}`,
    tellers: (since: string, names: readonly string[]) =>
      `One of two counters has not changed since ${since}: ${names.join(', ')}. The running total continues with the other one. ${RESTART_EN}`,
  },
};

const DE: typeof EN = {
  allRefused:
    'Viessmann verweigert diesem Konto alle Daten (402). Das hängt vom Tarif und vom Alter des Kontos ab und hat sich schon öfter geändert. An der Heizung und an den Einstellungen ist nichts falsch. heating2mqtt versucht es jeden Tag wieder.',
  unread:
    'Der Broker zeigt heating2mqtt nichts von dem, was es veröffentlicht: Befehle von Hausautomation und anderen Programmen kommen nicht an, und wo es auch nicht schreiben darf, erscheinen keine Werte. Sein Benutzer am Broker braucht das Recht, unterhalb von mqtt.base zu lesen und zu schreiben (in der ACL-Datei von Mosquitto topic readwrite).',
  dotted:
    'Der Broker nimmt keinen Punkt in Topics an (NATS vor 2.10); Geräte mit einem Punkt im Namen fehlen deshalb auf MQTT. Bitte in den Einstellungen umbenennen oder den Broker aktualisieren.',
  stale: {
    pulse: (since) => `Viessmann zeigt seit ${since} nichts Neues von diesem Gerät, obwohl die Abfragen gelingen. ${RESTART_DE}`,
    battery: (since) =>
      `Viessmann zeigt seit ${since} nichts Neues von diesem Gerät. Bitte die Batterie prüfen, und ob Gateway oder Repeater nah genug sind.`,
    hours: (since) => `Die Heizung läuft, aber ihr Verbrauch steht seit ${since}. ${RESTART_DE}`,
    heat: (since) => `Es wird Wärme erzeugt, aber der Stromverbrauch steht seit ${since}. ${RESTART_DE}`,
    tellers: (since, names) =>
      `Einer von zwei Zählern steht seit ${since}: ${names.join(', ')}. Der laufende Gesamtwert (running_total) zählt mit dem anderen weiter. ${RESTART_DE}`,
  },
};

/** Problems on topics (language of the settings) and page (its own). `since`: a formatted moment. */
export const STANDING: Readonly<Record<Language, typeof EN>> = { en: EN, de: DE };
