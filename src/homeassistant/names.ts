import type { Feature } from '../features/feature.ts';
import { partWords } from '../language/names/parts.ts';
import type { Context, Label } from './entities/entity.ts';
import { partOf } from './parts.ts';
import { nameOf, slug } from './words.ts';

// A circuit's name is a property of the circuit or of a feature below it.
const NAME_FEATURES = /^((?:heating\.circuits|rooms)\.\d+)(?:\.name)?$/;
const LONGEST_NAME = 40;
const LONGEST = 120;

/** A part of the installation and the user's name for it, if this feature has it. */
export const partNamedBy = ({ name, properties }: Feature): readonly [part: string, name: string] | undefined => {
  const value = properties.get('name')?.value;
  if (typeof value !== 'string') return undefined;
  const part = NAME_FEATURES.exec(name)?.[1];
  if (part === undefined) return undefined;
  const given = value.replace(/[\s\p{C}]+/gu, ' ').trim();
  return given === '' || given.length > LONGEST_NAME ? undefined : [part, given];
};

/** The users' names of circuits and rooms, by part (`heating.circuits.0`). A name that two parts share is not used. */
export const partNames = (features: Iterable<Feature>): ReadonlyMap<string, string> => {
  const names = new Map<string, string>();
  const byName = [...features].sort((a, b) => (a.name < b.name ? 1 : -1));
  // The circuit's own property is last and wins over the feature below it.
  for (const feature of byName) {
    const named = partNamedBy(feature);
    if (named) names.set(...named);
  }
  const looks = Map.groupBy(names.values(), (name) => name.toLowerCase());
  return new Map([...names].filter(([, name]) => looks.get(name.toLowerCase())?.length === 1));
};

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** What is left of a name without the part's at its start; the name itself where nothing would be left. */
const without = (start: string, name: string): string => {
  const rest = name.startsWith(`${start} `) ? name.slice(start.length + 1) : '';
  return rest === '' ? name : capital(rest);
};

/** The name of a part in the setting's language: the user's own of a circuit or room, else "Circuit 1", "Hot water", "Heat generator". */
export const partName = ({ named, language }: Pick<Context, 'named' | 'language'>, part: string): string =>
  named.get(part) ?? partWords(part, language);

/** The names of a feature, property or command, with the user's name of the circuit or room that it belongs to. */
export const labelOf = (context: Pick<Context, 'named'>, feature: string, property?: string): Label => {
  const counted = nameOf(feature, property);
  const part = partOf(feature);
  const start = part === undefined ? '' : nameOf(part);
  const given = part === undefined ? undefined : context.named.get(part);
  const short = without(start, counted);
  if (given === undefined || !counted.startsWith(start)) return { part, name: counted, short, idText: counted };
  const name = [...`${given}${counted.slice(start.length)}`].slice(0, LONGEST).join('');
  return { part, name, short, idText: slug(given) === '' ? counted : name };
};
