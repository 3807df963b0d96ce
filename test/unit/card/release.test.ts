import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CARD_NAME } from '../../../scripts/pageBuild.ts';
import { cardRoutes } from '../../../src/web/pageAssets.ts';

const read = (file: string): string => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

test('the release is built by the Node of the workflow, and the images by that of their base', () => {
  for (const file of ['.github/workflows/release.yml', 'Dockerfile']) {
    expect(read(file)).toContain('node scripts/build.ts');
    expect(read(file)).not.toMatch(/npm run build/);
  }
});

test('HACS takes the file that the release has and the page serves, under one name', () => {
  // hacs.xyz/docs/publish/start: the display name, and the file of a repository with one card.
  expect(JSON.parse(read('hacs.json'))).toEqual({
    name: expect.any(String),
    filename: CARD_NAME,
    hide_default_branch: true,
    homeassistant: '2024.11.0',
  });
  expect(read('.github/workflows/release.yml')).toContain(`package/${CARD_NAME}`);
  // The Home Assistant that the app needs.
  expect(read('app/config.yaml')).toContain(`homeassistant: ${JSON.parse(read('hacs.json')).homeassistant}`);
  expect(cardRoutes().map(({ path }) => path)).toEqual([CARD_NAME]);
});
