import type { Feature } from '../feature.ts';
import { type Features, type Remembered, shownBy } from './composite.ts';

/** The program that determines the current target temperature. */
export type InForce = {
  /** The program's own word: `normal`. */
  readonly word: string;
  /** Undefined if the device has no such feature. */
  readonly feature: Feature | undefined;
  /** °C; undefined if the program has none or does not show it. */
  readonly temperature: number | undefined;
};

export const wordOfFeature = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

export const isActive = (feature: Feature): boolean => feature.properties.get('active')?.value === true;

/** The programs of a circuit or room, and the manually started modes. */
export const programsOf = (features: Features, scope: string): readonly Feature[] =>
  [`${scope}.operating.programs.`, `${scope}.quickmodes.`].flatMap((prefix) =>
    [...features.values()].filter(({ name, properties }) => name.startsWith(prefix) && properties.has('active')),
  );

/** True if the program ends by itself: at the next schedule entry, or after a given duration. */
const endsByItself = ({ name, commands }: Feature): boolean =>
  /TillNextSchedule$/u.test(name) || commands.get('activate')?.params.has('duration') === true;

/** The temporary override of a circuit or room, if it has one. */
export const overrideOf = (features: Features, scope: string): Feature | undefined =>
  programsOf(features, scope).find((feature) => endsByItself(feature) && feature.commands.has('activate'));

const shownTemperature = (feature: Feature, { override }: Remembered): number | undefined => {
  const shown = feature.properties.get('temperature')?.value;
  if (typeof shown === 'number') return shown;
  return override?.feature === feature.name && isActive(feature) ? override.temperature : undefined;
};

/** The program that determines a target temperature; undefined if the device does not show it. */
export const programInForce = (features: Features, scope: string, remembered: Remembered): InForce | undefined => {
  const inForce = (word: string, feature: Feature | undefined): InForce => ({
    word: feature ? wordOfFeature(feature.name) : word,
    feature,
    temperature: feature && shownTemperature(feature, remembered),
  });
  const programs = `${scope}.operating.programs`;
  const override = overrideOf(features, scope);
  if (override && isActive(override)) return inForce('', override);
  const active = shownBy(features, `${programs}.active`);
  if (typeof active === 'string') return inForce(active, features.get(`${programs}.${active}`));
  const level = shownBy(features, `${scope}.operating.state`, 'level');
  if (typeof level === 'string') {
    const cools = shownBy(features, `${scope}.operating.state`, 'demand') === 'cooling';
    return inForce(level, features.get(`${programs}.${level}${cools ? 'Cooling' : 'Heating'}`) ?? features.get(`${programs}.${level}`));
  }
  const running = programsOf(features, scope).find((feature) => isActive(feature) && feature.properties.has('temperature'));
  return running && inForce('', running);
};
