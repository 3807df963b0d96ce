import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { load, mistakes, REQUIRED } from './loading.ts';

/** Settings files, and behind `→` what is said of each; `…` stands for the two lines of what is required. `UPDATE=1` writes it anew. */
const GOLDEN = 'test/fixtures/golden/mistakes.txt';

const FILES = readFileSync(GOLDEN, 'utf8').trimEnd().split('\n\n');
const told: string[] = [];

afterAll(() => {
  if (process.env['UPDATE'] === '1') writeFileSync(GOLDEN, `${told.join('\n\n')}\n`);
});

it('has all settings files that it had', () => expect(FILES.length).toBeGreaterThanOrEqual(128));

it.each(FILES)('a mistake in the file is told with its line, its key and what is allowed: %s', (block) => {
  const yaml = block.split('\n').filter((line) => !line.startsWith('→ '));
  const lines = mistakes(() => load(yaml.join('\n').replace('…\n', () => REQUIRED)));
  told.push([...yaml, ...lines.map((line) => `→ ${line}`)].join('\n'));
  if (process.env['UPDATE'] !== '1') expect(told.at(-1)).toBe(block);
});

it('what is no text is told', () => {
  expect(mistakes(() => load(Uint8Array.of(0x61, 0xff)))).toEqual(['settings.yaml is not UTF-8 text']);
});
