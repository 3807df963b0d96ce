import type { Asset } from '../../scripts/pageBuild.ts';

export type { Asset };

let built: Promise<readonly Asset[]> | undefined;

/** The files of the page. The release contains them; from source they are bundled at the first call, which takes about 0.1 s. */
export const pageAssets = (): Promise<readonly Asset[]> => {
  built ??= import('../../scripts/pageBuild.ts').then(({ buildPage }) => buildPage());
  return built;
};

let card: Promise<Asset> | undefined;

/** The card for dashboards of Home Assistant; from source it is bundled at the first call. */
export const cardAsset = (): Promise<Asset> => {
  card ??= import('../../scripts/pageBuild.ts').then(({ buildCard }) => buildCard());
  return card;
};
