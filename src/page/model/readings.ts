import type { Feature } from '../../features/feature.ts';

/** A measured value to show. */
export type Reading = {
  readonly feature: string;
  readonly value: number;
  readonly unit: string;
};

const MOST = 8;
/** Most requested values first. */
const RANK: readonly RegExp[] = [/\.pressure\./u, /\.temperature\.(?:supply|return)$/u, /collector/u, /\./u];
/** Internal values, shown only on the page of all values. */
const INNER = /^heating\.(?:compressors|evaporators|condensors|economizers|inverters)\.|Gas$|allengra$|\.rotation$/u;
/** Shown by the card of today, a circuit, a room, the hot water or the ventilation. */
const ELSEWHERE = /^heating\.(?:circuits\.\d+|dhw)\.|^rooms\.|^ventilation\.|\.temperature\.outside$/u;
const rankOf = (feature: string): number => RANK.findIndex((pattern) => pattern.test(feature));

/** The sensor values that no other card shows, most requested first. */
export const readingsOf = (features: ReadonlyMap<string, Feature>): readonly Reading[] =>
  [...features.values()]
    .filter(({ name }) => name.includes('.sensors.') && !INNER.test(name) && !ELSEWHERE.test(name))
    // Its older name has the same value.
    .filter(({ name }) => !features.has(name.replace('.buffer.', '.bufferCylinder.')) || !name.includes('.buffer.'))
    .flatMap(({ name, properties }) => {
      const { value, unit = '' } = properties.get('value') ?? {};
      return typeof value === 'number' ? [{ feature: name, value, unit }] : [];
    })
    .toSorted((a, b) => rankOf(a.feature) - rankOf(b.feature) || (a.feature < b.feature ? -1 : 1))
    .slice(0, MOST);
