import { type Asset, pageAssets } from '../pageAssets.ts';
import { get, type Route } from '../routes.ts';

const FOREVER = { 'cache-control': 'public, max-age=31536000, immutable' };

const routeOf = ({ name, type, immutable, body }: Asset): Route =>
  get(
    name === 'index.html' ? '' : name,
    () => ({ status: 200, content: { type, gzipped: body }, ...(immutable ? { headers: FOREVER } : {}) }),
    'open',
  );

/** The files of the page; they are made at the first request. */
export const assetRoutes = async (): Promise<readonly Route[]> => (await pageAssets()).map(routeOf);
