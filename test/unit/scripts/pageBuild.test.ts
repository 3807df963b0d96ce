import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { buildCard, buildPage, bundleCard, embedPage } from '../../../scripts/pageBuild.ts';
import type { Asset } from '../../../src/web/pageAssets.ts';
import { tempDir } from '../../support/system/testSystem.ts';

const names = (assets: readonly Asset[]) => assets.map(({ name, type, immutable }) => ({ name, type, immutable }));
const text = (assets: readonly Asset[], ending: string): string =>
  String(gunzipSync(assets.find(({ name }) => name.endsWith(ending))?.body ?? Buffer.alloc(0)));

/** Built once for all tests here. */
const page = buildPage();

test('the page is one document, scripts, one style sheet and an icon, a manifest and its icons, and all but document and manifest can be kept for ever', async () => {
  const assets = await page;
  const [document, app, ...others] = names(assets);
  const script = (name: string) => ({ name: expect.stringMatching(name), type: 'text/javascript; charset=utf-8', immutable: true });
  expect([document, app]).toEqual([
    { name: 'index.html', type: 'text/html; charset=utf-8', immutable: false },
    script('^app-[\\w-]{8}\\.js$'),
  ]);
  const picture = (size: number) => ({ name: expect.stringMatching(`^icon${size}-\\w{8,10}\\.png$`), type: 'image/png', immutable: true });
  expect(others.slice(-5)).toEqual([
    { name: 'manifest.webmanifest', type: 'application/manifest+json', immutable: false },
    picture(192),
    picture(512),
    { name: expect.stringMatching(/^app-\w{8,10}\.css$/), type: 'text/css; charset=utf-8', immutable: true },
    { name: expect.stringMatching(/^icon-\w{8,10}\.svg$/), type: 'image/svg+xml', immutable: true },
  ]);
  expect(others.slice(0, -5)).toEqual(others.slice(0, -5).map(() => script('^\\w+-[\\w-]{8}\\.js$')));
  const html = text(assets, '.html');
  // The encoding stands first, since Home Assistant drops it from the header; addresses are relative; nothing is inline.
  expect(html).toMatch(/<head>\s*<meta charset="utf-8">/);
  for (const name of [app?.name, ...others.slice(-2).map((one) => one.name)]) expect(html).toContain(`"./${name}"`);
  expect(html).not.toMatch(/style=|<style|<script[^>]*>[^<]|%|(?:href|src)="(?!\.\/)/);
});

test('style and scripts use nothing that only browsers from 2024 on have, but what the page brings along: wall tablets are older', async () => {
  const code = (await page).flatMap(({ name, body }) => (/\.(?:css|js)$/.test(name) ? [String(gunzipSync(body))] : [])).join('\n');
  const newer = /light-dark\(|Promise\.withResolvers|(?:Object|Map)\.groupBy|URL\.parse\(|Array\.fromAsync/g;
  expect(new Set(code.match(newer))).toEqual(new Set(['Map.groupBy']));
  const { groupBy } = Map;
  try {
    Reflect.deleteProperty(Map, 'groupBy');
    await import('../../../src/page/olderBrowsers.ts');
    const grouped = Map.groupBy([1, 2, 3], (number, index) => number === 3 || index === 0);
    expect([...grouped]).toEqual([
      [true, [1, 3]],
      [false, [2]],
    ]);
  } finally {
    Map.groupBy = groupBy;
  }
});

test('the manifest names files that there are, by addresses that hold below any path', async () => {
  const assets = await page;
  const { start_url, scope, icons } = JSON.parse(text(assets, '.webmanifest'));
  expect([start_url, scope]).toEqual(['./', './']);
  expect(icons).toHaveLength(3);
  for (const { src } of icons) expect(assets.map(({ name }) => `./${name}`)).toContain(src);
});

test.each([
  ['en', 61_440],
  ['de', 61_440],
])('the first view with the week editor, in %s, takes less than %i bytes of scripts, and 8 kB of style', async (language, most) => {
  const assets = await page;
  const loaded = new Map<string, number>();
  const load = (name: string): void => {
    const found = assets.find((one) => one.name === name);
    if (!found || loaded.has(name)) return;
    loaded.set(name, found.body.length);
    for (const [, imported = ''] of String(gunzipSync(found.body)).matchAll(/(?:from|import)\s*[`"']\.\/([^`"']+)[`"']/g)) load(imported);
  };
  const suffix = language === 'de' ? 'De' : 'En';
  for (const stem of ['app', 'schedulesPage', `page${suffix}`, `editor${suffix}`]) {
    const names = assets.map(({ name }) => name).filter((name) => name.startsWith(`${stem}-`) && name.endsWith('.js'));
    expect(names, stem).toHaveLength(1);
    names.forEach(load);
  }
  const total = [...loaded.values()].reduce((sum, size) => sum + size, 0);
  // Nothing has been left out: the base alone has a third of it.
  expect([...loaded.keys()].some((name) => name.startsWith('base-'))).toBe(true);
  expect(total).toBeLessThan(most);
  expect(assets.find(({ name }) => name.endsWith('.css'))?.body.length).toBeLessThan(8000);
});

test('the release contains the page: its bundle needs neither sources nor a bundler, and its names stay without a change', async () => {
  const bundle = await rolldown({ input: 'src/web/pageAssets.ts', platform: 'node', plugins: [embedPage()], logLevel: 'warn' });
  const file = join(tempDir(), 'pageAssets.cjs');
  const { output } = await bundle.write({ file, format: 'cjs', codeSplitting: false });
  await bundle.close();
  const { imports, dynamicImports, fileName } = output[0];
  // Node itself is there in any case.
  expect([...imports, ...dynamicImports].filter((name) => name !== fileName && !name.startsWith('node:'))).toEqual([]);
  const { pageAssets, cardAsset } = createRequire(import.meta.url)(file);
  expect(await pageAssets()).toEqual(await page);
  expect(await cardAsset()).toEqual(await buildCard());
});

test('the card is one script that needs no other file, of less than 61 kB, with its licence', async () => {
  const { name, type, immutable, body } = await buildCard();
  expect({ name, type, immutable }).toEqual({ name: 'heating2mqtt-card.js', type: 'text/javascript; charset=utf-8', immutable: false });
  const script = String(gunzipSync(body));
  expect(script).toBe(await bundleCard());
  expect(script).toMatch(/^\/\*! heating2mqtt card, MIT, /);
  expect(script).not.toMatch(/\bimport\s*\(|\bfrom\s*["'`]\.|\bimport\s*["'`]/);
  expect(body.length).toBeLessThan(61_440);
});
