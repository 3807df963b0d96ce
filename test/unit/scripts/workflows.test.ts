import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test.each(['ci', 'release'])('the workflow %s names every action by its commit, and keeps no token in a checkout', (name) => {
  const text = readFileSync(`.github/workflows/${name}.yml`, 'utf8');
  const used = [...text.matchAll(/uses: (.*)/g)].map(([, action = '']) => action).filter((action) => !action.startsWith('./'));
  expect(used.length).toBeGreaterThan(0);
  for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  const count = (pattern: RegExp): number => [...text.matchAll(pattern)].length;
  expect(count(/persist-credentials: false/g)).toBe(count(/uses: actions\/checkout@/g));
  expect(text).toMatch(/^permissions:(?: \{\}|\n {2}contents: read)$/m);
});

test.each([
  ['Dockerfile', /^FROM (?:--platform=\S+ )?(node\S*)/gm],
  ['.github/workflows/ci.yml', /^ +image: (\S+)/gm],
])('%s names the version and the digest of each base image', (file, pattern) => {
  const images = [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, image]) => image);
  expect(images.length).toBeGreaterThan(0);
  const version = readFileSync('.node-version', 'utf8').trim();
  for (const image of images) {
    expect(image).toMatch(/^\S+-\w+@sha256:[0-9a-f]{64}$/);
    expect(image).toContain(`node:${version}-`);
  }
});
