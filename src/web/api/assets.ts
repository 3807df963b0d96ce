import type { Asset } from '../pageAssets.ts';
import type { Route } from '../routes.ts';

/** The files of the page. All but the page itself have a digest in their names, so they never change. */
export const assetRoutes = (assets: readonly Asset[]): readonly Route[] =>
  assets.map(({ name, type, body }) => ({
    method: 'GET',
    path: name === 'index.html' ? '' : name,
    access: 'open',
    handle: () => ({
      status: 200,
      content: { type, gzipped: body },
      ...(type.startsWith('text/html') ? {} : { headers: { 'cache-control': 'public, max-age=31536000, immutable' } }),
    }),
  }));
