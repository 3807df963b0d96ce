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
