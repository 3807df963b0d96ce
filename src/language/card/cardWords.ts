import { CODES_DE } from '../codesDe.ts';
import type { Language } from '../language.ts';

const EN = {
  choose: 'Choose a schedule in the settings of this card.',
  missing: (entity: string) => `Home Assistant has no entity ${entity}. Choose another one in the settings of this card.`,
  wrong: (entity: string) =>
    `${entity} is no schedule of heating2mqtt. Choose one in the settings of this card; its id ends with _schedule_text. The bridge has to be as new as this card.`,
  unavailable: 'The heating is not available now: the bridge is not running, or it cannot read the heating.',
  readOnly: 'This week cannot be changed.',
  notNow: 'The heating does not take changes of this week now.',
  inactive: 'The heating does not follow this week now.',
  until: (when: string) => `Changed for a time. The week before comes back: ${when}.`,
  contested: (days: string) =>
    `Changed elsewhere meanwhile, for example in the app: ${days}. The buttons of this schedule, or the page of heating2mqtt, take your change back or keep the other; without a choice the other stays.`,
  notAllowed: 'Your account in Home Assistant may not change this.',
  refusedHere: (why: string) => `Home Assistant refused it: ${why}`,
  conflict: 'The week was changed elsewhere in the meantime. Look at it, then save again.',
  copying: (name: string) => `${name}: the week is being sent.`,
  copied: (name: string) => `${name}: the heating has the week.`,
  copyUnsure: (name: string) => `${name}: the week was sent. The heating does not show it yet.`,
  copyFailed: (name: string, why: string) => `${name} was not changed. ${why}`,
  codes: {} as Readonly<Record<string, string>>,
  cardDescription: 'The weekly schedule of the heating, to look at and to change.',
  entity: 'Schedule',
  entityHelp: 'That of a circuit, a room, the hot water, …',
  noEntities: 'Home Assistant has no schedule of heating2mqtt. Is the bridge running, with homeassistant.discovery on?',
  title: 'Title',
  titleHelp: 'Empty for the name of the entity.',
};

/** The texts of the card for dashboards of Home Assistant. */
export type CardWords = typeof EN;

const DE: CardWords = {
  choose: 'Wähle in den Einstellungen dieser Karte einen Zeitplan.',
  missing: (entity) => `Home Assistant hat keine Entität ${entity}. Wähle in den Einstellungen dieser Karte eine andere.`,
  wrong: (entity) =>
    `${entity} ist kein Zeitplan von heating2mqtt. Wähle einen in den Einstellungen dieser Karte; seine Kennung endet mit _schedule_text. Die Bridge muss so neu sein wie diese Karte.`,
  unavailable: 'Die Heizung ist gerade nicht erreichbar: Die Bridge läuft nicht, oder sie kann die Heizung nicht lesen.',
  readOnly: 'Diese Woche lässt sich nicht ändern.',
  notNow: 'Die Heizung nimmt gerade keine Änderung dieser Woche an.',
  inactive: 'Die Heizung folgt dieser Woche gerade nicht.',
  until: (when) => `Vorübergehend geändert. Die Woche davor kommt zurück: ${when}.`,
  contested: (days) =>
    `Inzwischen anderswo geändert, etwa in der App: ${days}. Die Tasten dieses Zeitplans oder die Seite von heating2mqtt nehmen deine Änderung zurück oder behalten die andere; ohne Entscheidung bleibt die andere.`,
  notAllowed: 'Dein Konto in Home Assistant darf das nicht ändern.',
  refusedHere: (why) => `Home Assistant hat es abgelehnt: ${why}`,
  conflict: 'Die Woche wurde inzwischen anderswo geändert. Sieh sie dir an und speichere noch einmal.',
  copying: (name) => `${name}: Die Woche wird gesendet.`,
  copied: (name) => `${name}: Die Heizung hat die Woche.`,
  copyUnsure: (name) => `${name}: Die Woche ist gesendet. Die Heizung zeigt sie noch nicht.`,
  copyFailed: (name, why) => `${name} wurde nicht geändert. ${why}`,
  codes: CODES_DE,
  cardDescription: 'Der Zeitplan der Heizung für die Woche, zum Ansehen und Ändern.',
  entity: 'Zeitplan',
  entityHelp: 'Der eines Heizkreises, eines Raums, des Warmwassers …',
  noEntities: 'Home Assistant hat keinen Zeitplan von heating2mqtt. Läuft die Bridge, mit eingeschaltetem homeassistant.discovery?',
  title: 'Titel',
  titleHelp: 'Leer für den Namen der Entität.',
};

export const cardWords = (language: Language): CardWords => (language === 'de' ? DE : EN);
