import { nearestWords } from '../../shared/closestMatch.ts';
import { LEAVES } from '../leaves.ts';
import { SCHEMA } from '../schema.ts';
import type { Setting } from '../setting.ts';
import { shown } from './checks.ts';
import { FORMATS, takesKeys } from './formats.ts';
import { type Problem, shownKey } from './mistake.ts';

type Section = { readonly [key: string]: Section | Setting };
type Tree = { readonly [key: string]: unknown };

/** What a file holds of the schema's settings, and the problems of what it holds besides. */
export type KnownKeys = { readonly values: Tree; readonly problems: readonly Problem[] };

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

const isSetting = (node: Section | Setting): node is Setting => 'default' in node;

const unknownKey = (path: readonly string[], section: Section): Problem => {
  const last = path.at(-1) ?? '';
  const siblings = Object.keys(section);
  const above = path.slice(0, -1);
  const near = nearestWords(last, siblings).map((word) => [...above, word].join('.'));
  const elsewhere = LEAVES.filter((leaf) => leaf.path.at(-1) === last).map((leaf) => leaf.key);
  return {
    path,
    rule: 'unknown',
    what: 'there is no such setting',
    nearest: near.length > 0 ? near : elsewhere,
    allowed: siblings.join(', '),
  };
};

const ofSetting = (value: unknown, setting: Setting, path: readonly string[]): KnownKeys & { value?: unknown } => {
  if (isTree(value) && !takesKeys(setting.format)) {
    const keys = setting.sensitive ? '' : ` (${Object.keys(value).slice(0, 3).map(shownKey).join(', ')})`;
    const what = `has keys${keys} and takes a value`;
    return { values: {}, problems: [{ path, rule: 'type', what, ...(setting.example === undefined ? {} : { allowed: setting.example }) }] };
  }
  return { values: {}, problems: [], value: FORMATS[setting.format].coerce(value) };
};

const ofSection = (tree: Tree, section: Section, above: readonly string[]): KnownKeys => {
  const values: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const [key, value] of Object.entries(tree)) {
    const path = [...above, key];
    const node = Object.hasOwn(section, key) ? section[key] : undefined;
    // A key with nothing behind it is as good as left out: its lines may all be commented out.
    if (node !== undefined && value === null) continue;
    if (node === undefined) problems.push(unknownKey(path, section));
    else if (isSetting(node)) {
      const found = ofSetting(value, node, path);
      problems.push(...found.problems);
      if ('value' in found) values[key] = found.value;
    } else if (isTree(value)) {
      const found = ofSection(value, node, path);
      problems.push(...found.problems);
      values[key] = found.values;
    } else {
      const sensitive = LEAVES.some((leaf) => leaf.setting.sensitive && path.every((step, i) => step === leaf.path[i]));
      problems.push({
        path,
        rule: 'type',
        what: `is ${shown(value, sensitive ? { sensitive } : {})} and takes keys`,
        allowed: Object.keys(node).join(', '),
      });
    }
  }
  return { values, problems };
};

/** Parts what the schema knows of a file's content from what it doesn't, with the nearest right key for that. */
export const knownKeys = (tree: unknown): KnownKeys => {
  if (tree === null || tree === undefined) return { values: {}, problems: [] };
  if (!isTree(tree))
    return { values: {}, problems: [{ path: [], rule: 'no_keys', what: 'holds no keys', allowed: Object.keys(SCHEMA).join(', ') }] };
  return ofSection(tree, SCHEMA, []);
};
