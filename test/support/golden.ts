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
