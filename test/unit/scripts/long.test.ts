import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('npm run test:long names each integration test that has more cases there', () => {
  const named = readFileSync('vitest.long.config.ts', 'utf8');
  const withMore = globSync('test/integration/**/*.test.ts').filter((file) => readFileSync(file, 'utf8').includes('support/chance.ts'));
  expect(withMore.length).toBeGreaterThan(0);
  expect(withMore.filter((file) => !named.includes(`'${file.replace(/^test\/integration\/|\.test\.ts$/g, '')}'`))).toEqual([]);
});
