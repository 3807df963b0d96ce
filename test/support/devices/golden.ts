import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Message } from '../../../src/shared/message.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../fixtures/golden');

type Component = { readonly platform: string; readonly unique_id: string; readonly default_entity_id: string };

/** The identities in a document, one a line, sorted: what hubs remember, and what therefore never changes. */
export const identitiesIn = (document: Message): readonly string[] => {
  const { components }: { readonly components: Readonly<Record<string, Component>> } = JSON.parse(document.payload);
  return Object.entries(components)
    .map(([key, { platform, unique_id: id }]) => `${platform} ${key} ${id}`)
    .sort();
};

/** How many components of each platform a document has, and a digest of all their identities. */
export const digestOf = (document: Message): object => {
  const all = identitiesIn(document);
  const counts = Object.entries(Object.groupBy(all, (line) => line.split(' ')[0] ?? '')).map(([name, lines]) => [name, lines?.length ?? 0]);
  return { components: Object.fromEntries(counts), sha256: createHash('sha256').update(all.join('\n')).digest('hex') };
};

/**
 * What the golden file of this name holds. One that is missing is written and fails this once, so that a new one is made by deleting the
 * old one: which nobody should do, since a changed identity makes new entities in every home.
 */
export const golden = (name: string, found: unknown): unknown => {
  const file = path.join(FOLDER, `${name}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, `${JSON.stringify(found, null, 1)}\n`);
  return `${name} was not there, and is now`;
};
