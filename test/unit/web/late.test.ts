import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
// Types are no imports when it runs.
const IMPORT = /^(?:import|export)\s+(?!type\b)[^;]*?from '(\.[^']+)'|^import '(\.[^']+)'/gm;

/** The files that are loaded with this one, before anything runs. */
const loadedWith = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, from, bare] of readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)) {
    const name = from ?? bare ?? '';
    if (name.endsWith('.ts')) loadedWith(relative(ROOT, join(ROOT, dirname(file), name)), seen);
  }
  return seen;
};

test('a bridge loads nothing of its page before it has published, and nothing at all without one', () => {
  const loaded = [...loadedWith('src/cli/run.ts')];
  expect(loaded).toContain('src/app.ts');
  expect(loaded).toContain('src/bridge/bridgeView.ts');
  expect(loaded.filter((file) => file.startsWith('src/web/'))).toEqual([]);
  expect([...loadedWith('src/web/server.ts')]).toContain('src/web/listen.ts');
});
