import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { BUNDLE } from '../../scripts/bundle.ts';

const inRelease = readFileSync('dist/THIRD-PARTY-LICENSES.txt', 'utf8');

/** The packages of which code is in the bundle, by what the bundler writes above each module where it does not minify. */
const bundledPackages = async (): Promise<readonly string[]> => {
  const bundle = await rolldown(BUNDLE);
  const { output } = await bundle.generate({ format: 'cjs', codeSplitting: false, minify: false });
  await bundle.close();
  const places = [...output[0].code.matchAll(/^\s*\/\/ (\S*node_modules\/(?:@[^/\s]+\/)?[^/\s]+)/gm)];
  return [...new Set(places.map(([, place = '']) => place))].sort();
};

test('the release carries the licence of each package whose code is in it', async () => {
  const packages = await bundledPackages();
  expect(packages.length).toBeGreaterThan(40);
  for (const folder of packages) {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect(inRelease).toContain(`\n${name} ${version} (`);
    const files = readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file));
    expect([name, files]).not.toEqual([name, []]);
    for (const file of files) expect(inRelease).toContain(readFileSync(join(folder, file), 'utf8').trim());
  }
});

test('it carries those of the page too', () => {
  for (const name of ['preact', '@preact/signals', '@preact/signals-core', '@mdi/js']) expect(inRelease).toContain(`\n${name} `);
});
