import { createHash } from 'node:crypto';
import type { Asset } from '../../scripts/pageBuild.ts';
import { get, type Route } from './routes.ts';

export type { Asset };

let built: Promise<readonly Asset[]> | undefined;

/** The page's files, part of the release. From source, the first call bundles them in about 0.1 s. */
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

/** The routes of the page's files. */
export const assetRoutes = async (): Promise<readonly Route[]> => (await pageAssets()).map(routeOf);

let card: Promise<Asset> | undefined;

/** The Home Assistant dashboard card; from source, it is bundled at the first call. */
export const cardAsset = (): Promise<Asset> => {
  card ??= import('../../scripts/pageBuild.ts').then(({ buildCard }) => buildCard());
  return card;
};

/** True if `If-None-Match` (RFC 9110, 13.1.2) contains this tag. */
const names = (header: string | undefined, tag: string): boolean =>
  (header ?? '').split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag);

/**
 * The Home Assistant dashboard card, for every site: a script that is the same for everyone and contains no
 * data of this home. A dashboard checks each time whether it has changed.
 */
export const cardRoutes = (): readonly Route[] => [
  get(
    'heating2mqtt-card.js',
    async ({ headers: asked }) => {
      const { type, body } = await cardAsset();
      const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 16)}"`;
      const headers = { 'access-control-allow-origin': '*', 'cache-control': 'no-cache', etag: `W/${tag}` };
      if (names(asked['if-none-match'], tag)) return { status: 304, headers };
      return { status: 200, headers, content: { type, gzipped: body } };
    },
    'public',
  ),
];
