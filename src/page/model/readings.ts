import type { Feature } from '../../features/feature.ts';

/** A measured value to look at. */
export type Reading = {
  readonly feature: string;
  readonly value: number;
  readonly unit: string;
};

const MOST = 8;
/** What people ask for first. */
const RANK: readonly RegExp[] = [/\.pressure\./u, /\.temperature\.(?:supply|return)$/u, /collector/u, /\./u];
/** Inside of machines: on the page of all values. */
const INNER = /^heating\.(?:compressors|evaporators|condensors|economizers|inverters)\.|Gas$|allengra$|\.rotation$/u;
/** Shown by the card of today, or of a circuit, room, the hot water or the ventilation. */
const ELSEWHERE = /^heating\.(?:circuits\.\d+|dhw)\.|^rooms\.|^ventilation\.|\.temperature\.outside$/u;
const rankOf = (feature: string): number => RANK.findIndex((pattern) => pattern.test(feature));

/** The measured values of sensors that no other card shows, the most asked for first. */
export const readingsOf = (features: ReadonlyMap<string, Feature>): readonly Reading[] =>
  [...features.values()]
    .filter(({ name }) => name.includes('.sensors.') && !INNER.test(name) && !ELSEWHERE.test(name))
    // Its older name shows the same.
    .filter(({ name }) => !features.has(name.replace('.buffer.', '.bufferCylinder.')) || !name.includes('.buffer.'))
    .flatMap(({ name, properties }) => {
      const { value, unit = '' } = properties.get('value') ?? {};
      return typeof value === 'number' ? [{ feature: name, value, unit }] : [];
    })
    .toSorted((a, b) => rankOf(a.feature) - rankOf(b.feature) || (a.feature < b.feature ? -1 : 1))
    .slice(0, MOST);
