import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'rolldown';
import { browserBundle, browserBundles, squeezeCss } from './browserBundle.ts';

/** A file of the page: `body` is compressed with gzip. An immutable file has a name that changes with its content. */
export type Asset = { readonly name: string; readonly type: string; readonly immutable: boolean; readonly body: Buffer };

const SCRIPT = 'text/javascript; charset=utf-8';
const PAGE = join(import.meta.dirname, '../src/page');
const CARD = join(import.meta.dirname, '../src/card/main.ts');
/** The name of the card as a file, which dashboards of Home Assistant load. */
export const CARD_NAME = 'heating2mqtt-card.js';

/** The style sheets of the page as one, in the order of their names. */
const styles = (): string => {
  const names = readdirSync(PAGE, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.css'));
  return squeezeCss(
    names
      .sort()
      .map((name) => readFileSync(join(PAGE, name), 'utf8'))
      .join('\n'),
  );
};

const asset = (name: string, type: string, content: string | Buffer, immutable: boolean): Asset => ({
  name,
  type,
  immutable,
  // With smaller blocks scripts get smaller.
  body: gzipSync(content, { level: 9, memLevel: 7 }),
});

const hashed = (stem: string, ending: string, type: string, content: string | Buffer): Asset => {
  const hash = createHash('sha256').update(content).digest('base64url').replace(/[-_]/g, '').slice(0, 10);
  return asset(`${stem}-${hash}.${ending}`, type, content, true);
};

/** Of the pictures for home screens: those of other shapes are cut out of them, so they have a margin. */
const SIZES = [192, 512] as const;

/** Has a browser offer the page for the home screen. Addresses are relative to the page's own, which can be below any path. */
const manifest = (icon: Asset, pictures: readonly Asset[]): Asset => {
  const sized = SIZES.map((size, i) => ({
    src: `./${pictures[i]?.name}`,
    sizes: `${size}x${size}`,
    type: 'image/png',
    purpose: 'any maskable',
  }));
  const content = {
    ...{ name: 'heating2mqtt', short_name: 'Heating', start_url: './', scope: './', display: 'standalone' },
    ...{ background_color: '#f5f3ef', theme_color: '#c2410c' },
    icons: [{ src: `./${icon.name}`, sizes: 'any', type: icon.type }, ...sized],
  };
  return asset('manifest.webmanifest', 'application/manifest+json', JSON.stringify(content), false);
};

/** The files of the page, and the modules that are in its scripts. */
export type BuiltPage = { readonly assets: readonly Asset[]; readonly modules: readonly string[] };

/** Makes the files of the page from its sources: index.html, its scripts, one style sheet, the icon. */
export const bundlePage = async (): Promise<BuiltPage> => {
  const names = { entry: 'app-[hash].js', others: '[name]-[hash].js' };
  const bundle = await browserBundles(join(PAGE, 'main.tsx'), names);
  const scripts = bundle.scripts.map(({ name, code }) => asset(name, SCRIPT, code, true));
  // Fetched beside the first script, and not after it.
  const preloads = bundle.scripts.flatMap(({ name, isNeededFirst }) =>
    isNeededFirst ? [`<link rel="modulepreload" href="./${name}">`] : [],
  );
  const style = hashed('app', 'css', 'text/css; charset=utf-8', styles());
  const icon = hashed('icon', 'svg', 'image/svg+xml', readFileSync(join(PAGE, 'icon.svg'), 'utf8'));
  const pictures = SIZES.map((size) => hashed(`icon${size}`, 'png', 'image/png', readFileSync(join(PAGE, `icon-${size}.png`))));
  const html = readFileSync(join(PAGE, 'index.html'), 'utf8')
    .replace('%script%', scripts[0]?.name ?? '')
    .replace('%style%', style.name)
    .replace('%icon%', icon.name)
    .replace('%icon192%', pictures[0]?.name ?? '')
    .replace('%preloads%', preloads.join('\n'));
  const document = asset('index.html', 'text/html; charset=utf-8', html, false);
  return { assets: [document, ...scripts, manifest(icon, pictures), ...pictures, style, icon], modules: bundle.modules };
};

/** The files of the page. */
export const buildPage = async (): Promise<readonly Asset[]> => (await bundlePage()).assets;

/** The card for dashboards of Home Assistant as one script, as text. */
export const bundleCard = async (): Promise<string> => {
  const { name, license, homepage } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
  const notice = `${name} card, ${license}, ${homepage}. Contains Preact and signals (MIT), Material Design Icons (Apache-2.0).`;
  return `/*! ${notice} */\n${await browserBundle(CARD)}`;
};

/** The card as the page serves it. */
export const buildCard = async (): Promise<Asset> => asset(CARD_NAME, SCRIPT, await bundleCard(), false);

/** Has the release contain the files of the page and the card as text, in the place of this module, which needs the sources and a bundler. */
export const embedPage = (): Plugin => ({
  name: 'embed-page',
  load: {
    filter: { id: /[/\\]scripts[/\\]pageBuild\.ts$/ },
    handler: async () => {
      const [card, ...files] = [await buildCard(), ...(await buildPage())].map((one) => ({ ...one, body: one.body.toString('base64') }));
      const code = `const FILES = ${JSON.stringify(files)};
const CARD = ${JSON.stringify(card)};
const decoded = (one) => ({ ...one, body: Buffer.from(one.body, 'base64') });
export const buildPage = async () => FILES.map(decoded);
export const buildCard = async () => decoded(CARD);`;
      return { code, moduleType: 'js' };
    },
  },
});
