import { CODES_DE } from '../codesDe.ts';
import type { Language } from '../language.ts';
import { textsOf } from '../texts.ts';

/** The texts of the Home Assistant dashboard card. */
const WORDS = textsOf({
  choose: ['Choose a schedule in the settings of this card.', 'Wähle in den Einstellungen dieser Karte einen Zeitplan.'],
  missing: [
    (entity: string) => `Home Assistant has no entity ${entity}. Choose another one in the settings of this card.`,
    (entity: string) => `Home Assistant hat keine Entität ${entity}. Wähle in den Einstellungen dieser Karte eine andere.`,
  ],
  wrong: [
    (entity: string) =>
      `${entity} is no schedule of heating2mqtt. Choose one in the settings of this card; its id ends with _schedule_text. The bridge has to be as new as this card.`,
    (entity: string) =>
      `${entity} ist kein Zeitplan von heating2mqtt. Wähle einen in den Einstellungen dieser Karte; seine Kennung endet mit _schedule_text. Die Bridge muss so neu sein wie diese Karte.`,
  ],
  unavailable: [
    'The heating is not available now: the bridge is not running, or it cannot read the heating.',
    'Die Heizung ist gerade nicht erreichbar: Die Bridge läuft nicht, oder sie kann die Heizung nicht abfragen.',
  ],
  readOnly: ['This week cannot be changed.', 'Diese Woche lässt sich nicht ändern.'],
  notNow: ['The heating does not take changes of this week now.', 'Die Heizung nimmt gerade keine Änderungen an dieser Woche an.'],
  inactive: ['The heating does not follow this week now.', 'Die Heizung folgt dieser Woche gerade nicht.'],
  until: [
    (when: string) => `Changed for a time. The week before comes back: ${when}.`,
    (when: string) => `Vorübergehend geändert. Die vorige Woche gilt wieder ab: ${when}.`,
  ],
  contested: [
    (days: string) =>
      `Changed elsewhere meanwhile, for example in the app: ${days}. The page of heating2mqtt, or two buttons of this schedule that are disabled by default, take your change back or keep the other; without a choice the other stays.`,
    (days: string) =>
      `Inzwischen anderswo geändert, etwa in der App: ${days}. Auf der Seite von heating2mqtt oder mit zwei Tasten dieses Zeitplans (anfangs deaktiviert) kannst du deine Änderung zurücknehmen oder die andere behalten; ohne Entscheidung bleibt die andere.`,
  ],
  notAllowed: ['Your account in Home Assistant may not change this.', 'Dein Konto in Home Assistant darf das nicht ändern.'],
  refusedHere: [(why: string) => `Home Assistant refused it: ${why}`, (why: string) => `Home Assistant hat es abgelehnt: ${why}`],
  conflict: [
    'The week was changed elsewhere in the meantime. Look at it, then save again.',
    'Die Woche wurde inzwischen anderswo geändert. Sieh sie dir an und speichere noch einmal.',
  ],
  copying: [(name: string) => `${name}: the week is being sent.`, (name: string) => `${name}: Die Woche wird gesendet.`],
  copied: [(name: string) => `${name}: the heating has the week.`, (name: string) => `${name}: Die Heizung hat die Woche übernommen.`],
  copyUnsure: [
    (name: string) => `${name}: the week was sent. The heating does not show it yet.`,
    (name: string) => `${name}: Die Woche ist gesendet. Die Heizung zeigt sie noch nicht.`,
  ],
  copyFailed: [
    (name: string, why: string) => `${name} was not changed. ${why}`,
    (name: string, why: string) => `${name} wurde nicht geändert. ${why}`,
  ],
  codes: [{} as Readonly<Record<string, string>>, CODES_DE],
  cardDescription: ['The weekly schedule of the heating, to look at and to change.', 'Ein Zeitplan der Heizung, zum Ansehen und Ändern.'],
  entity: ['Schedule', 'Zeitplan'],
  entityHelp: ['The schedule of a circuit, a room, the hot water, …', 'Der Zeitplan eines Heizkreises, eines Raums, des Warmwassers …'],
  noEntities: [
    'Home Assistant has no schedule of heating2mqtt. Is the bridge running, with homeassistant.discovery on?',
    'Home Assistant hat keinen Zeitplan von heating2mqtt. Läuft die Bridge, und ist homeassistant.discovery eingeschaltet?',
  ],
  title: ['Title', 'Titel'],
  titleHelp: ['Empty for the name of the entity.', 'Leer für den Namen der Entität.'],
});

/** The card texts in one language. */
export type CardWords = (typeof WORDS)[Language];

export const cardWords = (language: Language): CardWords => WORDS[language];
