import { nearestWords } from '../../shared/closestMatch.ts';
import { isRecord } from '../../shared/json.ts';
import { LEAVES, SCHEMA } from '../schema.ts';
import { shown, under, unknownKey, wrong } from './checks.ts';
import { type Problem, shownKey } from './mistake.ts';
import { isSetting, type Section, type Setting } from './rows.ts';

type Tree = Readonly<Record<string, unknown>>;

/** YAML reads `base:x`, without a space, as one text. */
const NO_SPACE = /^([a-z_]+):\S/;
const SPACE_MISSING = 'needs a space after its colon';

/** `a.b.c`, the notation of the documentation, as in a file: `a: { b: { c: … } }`. */
const nested = (dotted: string): string =>
  dotted
    .split('.')
    .reverse()
    .reduce((below, key) => `${key}: ${below === '…' ? below : `{ ${below} }`}`, '…');

const unknownIn = (path: readonly string[], section: Section): readonly Problem[] => {
  const last = path.at(-1) ?? '';
  const siblings = Object.keys(section);
  const [, before = ''] = NO_SPACE.exec(last) ?? [];
  if (siblings.includes(before)) return wrong('unknown', SPACE_MISSING);
  if (LEAVES.some(({ key }) => key === path.join('.'))) return wrong('unknown', 'is written with dots', nested(last));
  const near = nearestWords(last, siblings).map((word) => [...path.slice(0, -1), word].join('.'));
  const elsewhere = LEAVES.filter((leaf) => leaf.path.at(-1) === last).map((leaf) => leaf.key);
  return unknownKey(siblings, elsewhere.length > 0 ? elsewhere : near);
};

const keysForValue = (tree: Tree, { sensitive, example, default: usual }: Setting): readonly Problem[] => {
  const keys = sensitive ? '' : ` (${Object.keys(tree).slice(0, 3).map(shownKey).join(', ')})`;
  const takes = Array.isArray(usual) ? 'a list, with a - before each item' : 'a value';
  return wrong('type', `has keys${keys}, but needs ${takes}`, example);
};

const valueForKeys = (value: unknown, section: Section, path: readonly string[]): readonly Problem[] => {
  const [, before = ''] = typeof value === 'string' ? (NO_SPACE.exec(value) ?? []) : [];
  if (Object.hasOwn(section, before)) return under([before], wrong('unknown', SPACE_MISSING));
  const sensitive = LEAVES.some((leaf) => leaf.setting.sensitive && path.every((step, i) => step === leaf.path[i]));
  return wrong('type', `${sensitive ? 'has a value' : `is ${shown(value)}`}, but needs keys`, Object.keys(section).join(', '));
};

/** Separates known settings from unknown keys, and suggests the nearest known key for each. */
export const knownKeys = (tree: unknown): { readonly values: Tree; readonly problems: readonly Problem[] } => {
  const problems: Problem[] = [];
  const read = (below: Tree, section: Section, above: readonly string[]): Tree => {
    const values: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(below)) {
      const path = [...above, key];
      const node = Object.hasOwn(section, key) ? section[key] : undefined;
      if (node === undefined) problems.push(...under(path, unknownIn(path, section)));
      // A key without a value counts as not set: all lines below it may be comments.
      else if (value === null) continue;
      else if (isSetting(node)) {
        if (isRecord(value) && !node.takesKeys) problems.push(...under(path, keysForValue(value, node)));
        else values[key] = node.coerce(value);
      } else if (isRecord(value)) values[key] = read(value, node, path);
      else problems.push(...under(path, valueForKeys(value, node, path)));
    }
    return values;
  };
  if (tree === null || tree === undefined) return { values: {}, problems };
  if (isRecord(tree)) return { values: read(tree, SCHEMA, []), problems };
  return { values: {}, problems: wrong('no_keys', 'contains no keys', Object.keys(SCHEMA).join(', ')) };
};
