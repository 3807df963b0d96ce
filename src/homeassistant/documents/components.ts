import type { Json } from '../../features/feature.ts';
import type { Entity } from '../entities/entity.ts';
import { slug } from '../words.ts';

/** An entity with the ids that hubs store, which do not depend on whether its part is a separate device. */
export type Identified = Entity & { readonly uniqueId: string; readonly entityId: string };

// Home Assistant refuses entity ids of more than 255 characters.
const LONGEST_OWNER = 100;
const LONGEST_ID = 130;

/** Returns texts that are unique without regard to case: `Name`, then `Name 2` for a second one. */
const unlike = (separator: string): ((text: string) => string) => {
  const taken = new Set<string>();
  // The first number that may be free, so that a thousand equal names take linear time.
  const next = new Map<string, number>();
  return (text) => {
    const lower = text.toLowerCase();
    for (let n = next.get(lower) ?? 1; ; n++) {
      const end = n === 1 ? '' : `${separator}${n}`;
      if (taken.has(lower + end)) continue;
      taken.add(lower + end);
      next.set(lower, n + 1);
      return text + end;
    }
  };
};

/** The entities by key, with ids. `object`: object id of the heating; `owner`: its name in entity ids. */
export const identified = (object: string, owner: string, entities: readonly Entity[]): readonly Identified[] => {
  const unlikeOthers = unlike('_');
  const start = slug(owner).slice(0, LONGEST_OWNER) || slug(object).slice(0, LONGEST_OWNER);
  const byKey = [...entities].sort((a, b) => (a.key < b.key ? -1 : 1));
  return byKey.map((entity) => {
    const { key, platform, idText } = entity;
    const id = unlikeOthers(slug(idText).slice(0, LONGEST_ID) || slug(key).slice(0, LONGEST_OWNER));
    return { ...entity, uniqueId: `${object}_${key}`, entityId: `${platform}.${start}_${id}` };
  });
};

/** The components of a document by key, named by `nameOf` for their page. */
export const pageComponents = (entities: readonly Identified[], nameOf: (entity: Identified) => string): Readonly<Record<string, Json>> => {
  const unlikeOthers = unlike(' ');
  const components = entities.map((entity) => {
    const { key, platform, uniqueId, entityId, config } = entity;
    const head = { platform, unique_id: uniqueId, default_entity_id: entityId, name: unlikeOthers(nameOf(entity)) };
    return [key, { ...head, ...config }] as const;
  });
  return Object.fromEntries(components);
};
