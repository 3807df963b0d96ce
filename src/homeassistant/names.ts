import type { Feature } from '../features/feature.ts';
import { nameOf, slug } from './words.ts';

/** The name of an entity, and the text of its entity id if that differs. */
export type Label = { readonly name: string; readonly idText?: string };

const PARTS = /^(?:heating\.circuits|rooms)\.\d+(?=\.|$)/;
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

/** The name of a feature, property or command, with the user's name of the part that it belongs to. */
export const labelOf = (feature: string, property: string | undefined, named: ReadonlyMap<string, string>): Label => {
  const counted = nameOf(feature, property);
  const part = named.size === 0 ? undefined : PARTS.exec(feature)?.[0];
  const given = part === undefined ? undefined : named.get(part);
  const start = part === undefined ? '' : nameOf(part);
  if (given === undefined || !counted.startsWith(start)) return { name: counted };
  const name = [...`${given}${counted.slice(start.length)}`].slice(0, LONGEST).join('');
  return slug(given) === '' ? { name, idText: counted } : { name };
};
