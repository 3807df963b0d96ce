import type { Feature } from '../features/feature.ts';
import type { Language } from '../language/language.ts';
import { type OwnKey, ownName } from '../language/names/bridge.ts';
import { capital, cut, type NamePieces, nameOfPieces, namePieces, tidy } from '../language/names/name.ts';
import { partWords } from '../language/names/parts.ts';
import { type ScheduleLeaf, scheduleWords } from '../language/names/schedules.ts';
import { levelWords } from '../language/names/words.ts';
import type { Config, Context, Entity, EntityPlatform, Label } from './entities/entity.ts';
import { partOf } from './parts.ts';
import { slug } from './words.ts';

// A circuit's name is a property of the circuit or of a feature below it.
const NAME_FEATURES = /^((?:heating\.circuits|rooms)\.\d+)(?:\.name)?$/;
const LONGEST_NAME = 40;

/** A part of the installation and the user's name for it, if this feature has it. */
export const partNamedBy = ({ name, properties }: Feature): readonly [part: string, name: string] | undefined => {
  const value = properties.get('name')?.value;
  if (typeof value !== 'string') return undefined;
  const part = NAME_FEATURES.exec(name)?.[1];
  if (part === undefined) return undefined;
  const given = value.replace(/[\s\p{C}]+/gu, ' ').trim();
  return given === '' || given.length > LONGEST_NAME ? undefined : [part, given];
};

/** The users' names of circuits and rooms, by part (`heating.circuits.0`). Duplicate names are not used. */
export const partNames = (features: Iterable<Feature>): ReadonlyMap<string, string> => {
  const names = new Map<string, string>();
  const byName = [...features].sort((a, b) => (a.name < b.name ? 1 : -1));
  // The circuit's own property comes last and wins over the feature below it.
  for (const feature of byName) {
    const named = partNamedBy(feature);
    if (named) names.set(...named);
  }
  const looks = Map.groupBy(names.values(), (name) => name.toLowerCase());
  return new Map([...names].filter(([, name]) => looks.get(name.toLowerCase())?.length === 1));
};

/** The localized name of a part: the user's own, else "Circuit 1", "Hot water", "Heat generator". */
export const partName = ({ named, language }: Pick<Context, 'named' | 'language'>, part: string): string =>
  named.get(part) ?? partWords(part, language);

/** The names of a feature; `rest` renders the words that follow the name of its part. */
const labelFrom = (
  { named, language }: Pick<Context, 'named' | 'language'>,
  feature: string,
  property: string | undefined,
  rest: (ofFeature: string, language: Language) => string,
): Label => {
  const part = partOf(feature);
  const given = part === undefined ? undefined : named.get(part);
  const piecesIn = (spoken: Language): NamePieces => {
    const pieces = namePieces(feature, property, spoken);
    return { ...pieces, rest: rest(pieces.rest, pieces.language) };
  };
  const nameWith = (pieces: NamePieces, start: string | undefined): string =>
    start === undefined ? nameOfPieces(pieces.part, pieces.rest, feature, property) : cut(`${start} ${pieces.rest}`.trim());
  const pieces = piecesIn(language);
  // A name that no entity id can hold is not used in ids.
  const givenInIds = given === undefined || slug(given) === '' ? undefined : given;
  const idText = nameWith(language === 'en' ? pieces : piecesIn('en'), givenInIds);
  // If the user calls a circuit "Heating", its schedule is "Heating schedule".
  const name = tidy(nameWith(pieces, given));
  return { part, name, short: pieces.rest === '' ? name : cut(capital(pieces.rest)), idText };
};

/** The name below this page title, without the title's words: below "Heating" "Curve slope". */
export const nameBelow = (title: string, name: string, language: Language): string => {
  if (name.toLowerCase() === title.toLowerCase()) return capital(levelWords('active', language));
  const rest = name.toLowerCase().startsWith(`${title} `.toLowerCase()) ? name.slice(title.length).trim() : '';
  // "Room 2 temperature" does not belong to "Room".
  return /^\p{L}/u.test(rest) ? capital(rest) : name;
};

/** The names of a feature, property or command, with the user's name of its circuit or room. */
export const labelOf = (context: Pick<Context, 'named' | 'language'>, feature: string, property?: string): Label =>
  labelFrom(context, feature, property, (rest) => rest);

/** The names of an entity of a schedule. The ids keep the last level of its topic. */
export const scheduleLabelOf = (context: Pick<Context, 'named' | 'language'>, feature: string, leaf: ScheduleLeaf): Label => ({
  ...labelFrom(context, feature, undefined, (rest, language) => scheduleWords(leaf, rest, language)),
  idText: `${labelOf(context, feature).idText} ${leaf}`,
});

/** The names of a climate or water heater: its part on the heating's page, its kind on its part's page. */
export const thermostatLabelOf = (context: Pick<Context, 'named' | 'language'>, scope: string): Label => ({
  ...labelOf(context, scope),
  short: ownName('thermostat', context.language),
});

/** The names of an entity without a feature. */
export const ownLabel = (key: OwnKey, language: Language): Label => {
  const name = ownName(key, language);
  return { part: undefined, name, short: name, idText: ownName(key, 'en') };
};

/** An entity without a feature. */
export const ownEntity = (platform: EntityPlatform, key: OwnKey, language: Language, config: Config): Entity => ({
  ...{ key, platform, ...ownLabel(key, language) },
  config,
});
