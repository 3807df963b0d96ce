import type { Asset } from '../../scripts/pageBuild.ts';
import { get, type Route } from './routes.ts';

export type { Asset };

let built: Promise<readonly Asset[]> | undefined;

/** The files of the page. The release contains them; from source they are bundled at the first call, which takes about 0.1 s. */
export const pageAssets = (): Promise<readonly Asset[]> => {
  built ??= import('../../scripts/pageBuild.ts').then(({ buildPage }) => buildPage());
  return built;
};

const FOREVER = { 'cache-control': 'public, max-age=31536000, immutable' };

const routeOf = ({ name, type, immutable, body }: Asset): Route =>
  get(
    name === 'index.html' ? '' : name,
    () => ({ status: 200, content: { type, gzipped: body }, ...(immutable ? { headers: FOREVER } : {}) }),
    'open',
  );

/** The routes of the files of the page. */
export const assetRoutes = async (): Promise<readonly Route[]> => (await pageAssets()).map(routeOf);

let card: Promise<Asset> | undefined;

/** The card for dashboards of Home Assistant; from source it is bundled at the first call. */
export const cardAsset = (): Promise<Asset> => {
  card ??= import('../../scripts/pageBuild.ts').then(({ buildCard }) => buildCard());
  return card;
};
