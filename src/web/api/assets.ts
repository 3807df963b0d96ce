import { type Asset, pageAssets } from '../pageAssets.ts';
import type { Route } from '../routes.ts';

const FOREVER = { 'cache-control': 'public, max-age=31536000, immutable' };

const routeOf = ({ name, type, immutable, body }: Asset): Route => ({
  method: 'GET',
  path: name === 'index.html' ? '' : name,
  access: 'open',
  handle: () => ({ status: 200, content: { type, gzipped: body }, ...(immutable ? { headers: FOREVER } : {}) }),
});

/** The files of the page; they are made at the first request. */
export const assetRoutes = async (): Promise<readonly Route[]> => (await pageAssets()).map(routeOf);
