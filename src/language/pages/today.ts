import type { Language } from '../language.ts';

const EN = {
  title: 'Today',
  outside: 'Outside',
  inside: 'Inside',
  rooms: (count: number) => `Inside, ${count} rooms`,
  water: 'Hot water',
  heated: { true: 'is being heated', false: 'is not being heated now' },
  now: 'Now',
  doing: {
    heating: 'Heats the house',
    cooling: 'Cools the house',
    water: 'Makes hot water',
    defrost: 'Defrosts itself',
    running: 'Makes heat',
    holiday: 'Holiday',
    standby: 'Stands by',
    off: 'Off (frost protection)',
  },
  used: { power: 'Electricity used today', gas: 'Gas used today' },
  faults: 'Faults',
  none: 'None reported',
  untold: 'This heating tells none here',
  technical: 'Technical values',
};

/** The texts of the first card of the overview. */
type TodayWords = typeof EN;

const DE: TodayWords = {
  title: 'Heute',
  outside: 'Außen',
  inside: 'Innen',
  rooms: (count) => `Innen, ${count} Räume`,
  water: 'Warmwasser',
  heated: { true: 'wird gerade erwärmt', false: 'wird gerade nicht erwärmt' },
  now: 'Gerade',
  doing: {
    heating: 'Heizt das Haus',
    cooling: 'Kühlt das Haus',
    water: 'Macht Warmwasser',
    defrost: 'Taut sich ab',
    running: 'Erzeugt Wärme',
    holiday: 'Urlaub',
    standby: 'In Bereitschaft',
    off: 'Aus (Frostschutz)',
  },
  used: { power: 'Strom heute', gas: 'Gas heute' },
  faults: 'Störungen',
  none: 'Keine gemeldet',
  untold: 'Diese Heizung meldet hier keine',
  technical: 'Technische Werte',
};

export const TODAY_WORDS: Readonly<Record<Language, TodayWords>> = { en: EN, de: DE };
