import { createHash } from 'node:crypto';
import { cardAsset } from '../pageAssets.ts';
import { get, type Route } from '../routes.ts';

/** True where `If-None-Match` (RFC 9110, 13.1.2) names this tag. */
const names = (header: string | undefined, tag: string): boolean =>
  (header ?? '').split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag);

/**
 * The card for dashboards of Home Assistant, for every site: a script that is the same for everybody, and holds nothing of this home. A
 * dashboard asks each time whether it is still the same.
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
