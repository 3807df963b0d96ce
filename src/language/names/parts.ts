import type { Language } from '../language.ts';

type Words = Readonly<Record<Language, string>>;

/** The parts of a heating system, by the platform's levels without the part's number. */
const PARTS: Readonly<Record<string, Words>> = {
  'heating.circuits': { en: 'Circuit', de: 'Heizkreis' },
  'heating.coolingCircuits': { en: 'Cooling circuit', de: 'Kühlkreis' },
  'heating.dhw': { en: 'Hot water', de: 'Warmwasser' },
  'heating.solar': { en: 'Solar', de: 'Solaranlage' },
  generator: { en: 'Heat generator', de: 'Wärmeerzeuger' },
  rooms: { en: 'Room', de: 'Raum' },
  ventilation: { en: 'Ventilation', de: 'Lüftung' },
};

/** The name of a part (`heating.circuits.0`: "Circuit 1"), counted from 1; an unknown part: its levels. */
export const partWords = (part: string, language: Language): string => {
  const [, levels = part, index] = /^(.+?)(?:\.(\d{1,9}))?$/.exec(part) ?? [];
  const known = Object.hasOwn(PARTS, levels) ? PARTS[levels] : undefined;
  const name = known?.[language] ?? levels;
  return index === undefined ? name : `${name} ${Number(index) + 1}`;
};
