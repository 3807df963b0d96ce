import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';

export const GOLDEN = path.resolve(import.meta.dirname, '../fixtures/golden');

/**
 * Fails unless the golden file holds what was found, a text or, in a `.json`, a value. `UPDATE=1` writes it instead. A changed identity makes
 * new entities in every home, so that files of identities are not to be written anew.
 */
export const expectGolden = (name: string, found: unknown, folder = GOLDEN): void => {
  const file = path.join(folder, name);
  const isJson = name.endsWith('.json');
  if (process.env['UPDATE'] === '1') {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, isJson ? `${JSON.stringify(found, null, 2)}\n` : String(found));
  }
  if (!existsSync(file)) throw new Error(`The golden file ${name} is missing; UPDATE=1 writes it.`);
  const kept = readFileSync(file, 'utf8');
  expect(found, name).toEqual(isJson ? JSON.parse(kept) : kept);
};

/** The arguments of each line of a golden table. */
export const tableOf = (name: string): readonly (readonly unknown[])[] =>
  readFileSync(path.join(GOLDEN, 'tables', `${name}.txt`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(`[${line.split(' → ')[0]}]`));

/**
 * A golden table: each line has its arguments and, behind the arrow, what is made of them, all as JSON. Fails unless the table has so many
 * lines and the same is made of each; a new line needs its arguments alone, `UPDATE=1` writes the rest.
 */
export const expectTable = <Given extends readonly unknown[]>(name: string, count: number, make: (...given: Given) => unknown): void => {
  const rows = tableOf(name);
  expect(rows.length, name).toBe(count);
  const lineOf = (given: readonly unknown[]): string => given.map((one) => JSON.stringify(one)).join(', ');
  const lines = rows.map((given) => `${lineOf(given)} → ${JSON.stringify(make(...(given as Given))) ?? null}\n`);
  expectGolden(`tables/${name}.txt`, lines.join(''));
};
