import { SCHEMA } from './schema.ts';
import type { Setting } from './setting.ts';

/** A setting with its key, `platform.quota.per_day`. */
export type Leaf = { readonly key: string; readonly path: readonly string[]; readonly setting: Setting };

type Node = Setting | { readonly [key: string]: Node };

const isSetting = (node: Node): node is Setting => 'default' in node;

const leavesBelow = (node: Node, path: readonly string[]): readonly Leaf[] =>
  isSetting(node)
    ? [{ key: path.join('.'), path, setting: node }]
    : Object.entries(node).flatMap(([key, child]) => leavesBelow(child, [...path, key]));

/** Every setting, in the order of the schema. */
export const LEAVES: readonly Leaf[] = leavesBelow(SCHEMA, []);
