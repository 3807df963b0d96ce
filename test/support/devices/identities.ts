import { createHash } from 'node:crypto';
import type { Offering } from '../../../src/homeassistant/entities/entity.ts';
import { readProfile } from '../../../src/schedule/profile.ts';
import type { Message } from '../../../src/shared/message.ts';

/** What documents are made for whose identities are kept. */
export const WHERE = { base: 'heating2mqtt', prefix: 'homeassistant', version: '1.0.0' };
export const OFFERING: Offering = {
  language: 'en',
  profiles: [readProfile('summer', 'daily none')],
  isAllowed: (_: string, command: string) => !/^(remove|add|move)/.test(command),
};

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
