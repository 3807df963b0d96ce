import type { House } from './house.ts';

/** Platform behaviour that the control path can change at runtime. */
type Behaviour = { wrapped: boolean; adaptNext: boolean; v1Retired: boolean };

/** The data of the IoT service: one house for each gateway. `houses` is never empty. */
export type Site = { readonly houses: readonly House[]; readonly behaviour: Behaviour };

/** The houses of an installation; empty for an unknown installation. */
export const housesOf = (site: Site, installation: string): readonly House[] =>
  site.houses.filter(({ home }) => String(home.installation) === installation);
