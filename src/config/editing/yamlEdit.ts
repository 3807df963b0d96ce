import { isDeepStrictEqual } from 'node:util';
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  Pair,
  parseDocument,
  Scalar,
  stringify,
  YAMLMap,
  YAMLSeq,
} from 'yaml';
import { isRecord } from '../../shared/json.ts';
import { readYaml } from '../yaml.ts';

/** A value to write: JSON. Null removes the setting, so that a lower layer or the default decides. */
export type Written = string | number | boolean | null | readonly Written[] | { readonly [key: string]: Written };

type Plain = string | number | boolean | null;
type Keys = { readonly [key: string]: Written };

const isList = (value: Written): value is readonly Written[] => Array.isArray(value);
const isKeys = (value: Written): value is Keys => isRecord(value);

/** One setting with its new value. */
export type Change = { readonly path: readonly string[]; readonly value: Written };

/**
 * The text with the changes; comments, order and the text of everything else stay. Undefined where the text is written in a way in which
 * that cannot be done, as with a value that others refer to.
 */
export const changeYaml = (text: string, changes: readonly Change[]): string | undefined => {
  let now = text;
  for (const change of changes) {
    const next = changeOne(now, change);
    if (next === undefined) return undefined;
    now = next;
  }
  return now;
};

const changeOne = (text: string, { path, value }: Change): string | undefined => {
  const held = readYaml(text);
  if (held.faults.length > 0 || !(isRecord(held.tree) || held.tree === null)) return undefined;
  const aim = withValue(held.tree ?? {}, path, asText(value));
  if (isDeepStrictEqual(withoutNothing(held.tree ?? {}), withoutNothing(aim))) return text;
  const printed = printedWith(text, path, value);
  if (!printed) return undefined;
  // Printing changes the look of the whole text: only the lines of the change are taken from it.
  return [patched(text, printed.before, printed.after), printed.after].find((one) => isSame(readYaml(one), aim));
};

/** The text as the library prints it, before and after the change; undefined where it cannot. */
const printedWith = (
  text: string,
  path: readonly string[],
  value: Written,
): { readonly before: string; readonly after: string } | undefined => {
  const document = parseDocument(text, { schema: 'failsafe', prettyErrors: false, logLevel: 'error' });
  const printing = { lineWidth: 0, flowCollectionPadding: /[[{] /.test(text), indent: indentOf(text) };
  try {
    const isEmpty = document.contents === null || isEmptyScalar(document.contents);
    const before = isEmpty ? '' : document.toString(printing);
    if (isEmpty) startMap(document);
    return put(document, path, value) ? { before, after: document.toString(printing) } : undefined;
  } catch {
    // What the library reads it cannot always print, as a key without a value in a list.
    return undefined;
  }
};

const isSame = ({ tree, faults }: ReturnType<typeof readYaml>, aim: unknown): boolean =>
  faults.length === 0 && isDeepStrictEqual(withoutNothing(tree), withoutNothing(aim));

/** Every scalar as text, as `readYaml` gives it. */
const asText = (value: Written): unknown => {
  if (isList(value)) return value.map(asText);
  if (isKeys(value)) return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, asText(one)]));
  return value === null ? null : String(value);
};

/** Without members that have no value: they count as left out. */
const withoutNothing = (tree: unknown): unknown => {
  if (Array.isArray(tree)) return tree.map(withoutNothing);
  if (!isRecord(tree)) return tree;
  const members = Object.entries(tree).map(([key, value]) => [key, withoutNothing(value)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== null && !(isRecord(value) && Object.keys(value).length === 0)));
};

const withValue = (tree: unknown, [key, ...rest]: readonly string[], value: unknown): unknown => {
  if (key === undefined) return value;
  const members = isRecord(tree) ? tree : {};
  return { ...members, [key]: withValue(Object.hasOwn(members, key) ? members[key] : {}, rest, value) };
};

const indentOf = (text: string): number => Math.min(/^[^\s#][^\n]*:[^\n]*\n(?:\s*#[^\n]*\n|\s*\n)*( +)\S/m.exec(text)?.[1]?.length ?? 2, 8);

const startMap = (document: Document): void => {
  const { comment } = document;
  document.contents = new YAMLMap();
  // A text of comments alone: they stay above the first setting.
  if (comment && !document.commentBefore) {
    document.commentBefore = comment;
    document.comment = null;
  }
};

/** Sets or removes the value; false where something else than keys stands on the way. */
const put = (document: Document, path: readonly string[], value: Written): boolean => {
  let at: unknown = document.contents;
  for (const [depth, key] of path.entries()) {
    if (!isMap(at)) return false;
    const pair = at.items.find((item) => isScalar(item.key) && item.key.value === key);
    const isLast = depth === path.length - 1;
    if (isLast && value === null) {
      if (pair) remove(at, at.items.indexOf(pair));
      return true;
    }
    if (isLast) {
      if (pair) pair.value = mergedNode(pair.value, value);
      else at.add(new Pair(scalarOf(key), nodeOf(value)));
      return true;
    }
    if (!pair) {
      if (value === null) return true;
      at.add(new Pair(scalarOf(key), new YAMLMap()));
    } else if (isEmptyScalar(pair.value)) {
      const map = new YAMLMap();
      // `mqtt:` above lines that are all comments.
      if (isNode(pair.value)) map.commentBefore = [pair.value.commentBefore, pair.value.comment].filter(Boolean).join('\n') || null;
      pair.value = map;
    }
    at = at.get(key, true);
  }
  return false;
};

const isEmptyScalar = (node: unknown): boolean =>
  node === null || (isScalar(node) && node.type === 'PLAIN' && /^(?:|~|null)$/i.test(String(node.source ?? '')));

/** Removes a member. The comment above it goes to the next one, as it may speak of all that follow. */
const remove = (map: YAMLMap, index: number): void => {
  const [pair] = map.items.splice(index, 1);
  const key = isPair(pair) && isNode(pair.key) ? pair.key : undefined;
  const comment = key?.commentBefore;
  if (comment === undefined || comment === null) return;
  const next = map.items[index]?.key;
  if (isNode(next)) next.commentBefore = [comment, next.commentBefore].filter(Boolean).join('\n');
  else map.comment = [comment, map.comment].filter(Boolean).join('\n');
};

/** The node changed so that it holds the value, with its comments; a new one where it is of another kind. */
const mergedNode = (node: unknown, value: Written): Node => {
  if (isScalar(node) && !isEmptyScalar(node) && node.value === asText(value)) return node;
  if (isScalar(node) && !isKeys(value) && !isList(value) && !node.anchor) {
    const scalar = scalarOf(value);
    node.value = scalar.value;
    node.type = scalar.type ?? (node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE' ? node.type : 'PLAIN');
    return node;
  }
  if (isMap(node) && isKeys(value) && !node.anchor) {
    for (const key of node.items.flatMap(({ key: own }) => (isScalar(own) ? [String(own.value)] : [])))
      if (!Object.hasOwn(value, key))
        remove(
          node,
          node.items.findIndex(({ key: own }) => isScalar(own) && own.value === key),
        );
    for (const [key, one] of Object.entries(value)) {
      const pair = node.items.find(({ key: own }) => isScalar(own) && own.value === key);
      if (pair) pair.value = mergedNode(pair.value, one);
      else node.add(new Pair(scalarOf(key), nodeOf(one)));
    }
    return node;
  }
  if (isSeq(node) && isList(value) && !node.anchor) {
    const old = [...node.items];
    const same = value.map((one) => takeSame(old, one));
    node.items = value.map((one, i) => same[i] ?? mergedNode(old.shift(), one));
    return node;
  }
  const made = nodeOf(value);
  if (isNode(node) && !isAlias(node) && node.comment) made.comment = node.comment;
  return made;
};

/** Takes the item that holds this value already out of the list. */
const takeSame = (items: unknown[], value: Written): Node | undefined => {
  const found = items.findIndex(
    (item) =>
      isNode(item) &&
      !isAlias(item) &&
      isDeepStrictEqual(isCollection(item) ? item.toJSON() : isScalar(item) ? item.value : undefined, asText(value)),
  );
  const [node] = found < 0 ? [] : items.splice(found, 1);
  return isNode(node) ? node : undefined;
};

const nodeOf = (value: Written): Node => {
  if (isKeys(value)) {
    const map = new YAMLMap<Scalar, Node>();
    for (const [key, one] of Object.entries(value)) map.add(new Pair(scalarOf(key), nodeOf(one)));
    return map;
  }
  if (!isList(value)) return scalarOf(value);
  const list = new YAMLSeq<Node>();
  for (const one of value) list.add(nodeOf(one));
  // A list of plain values stands on one line.
  list.flow = list.items.every(isScalar);
  return list;
};

/** The scalar; a text that other readers of YAML take for a number, a boolean or nothing is quoted. */
const scalarOf = (value: Plain): Scalar => {
  const scalar = new Scalar(value === null ? '' : String(value));
  if (value === null) scalar.type = 'PLAIN';
  else if (typeof value === 'string' && /^["']/.test(stringify(value, { lineWidth: 0 }))) scalar.type = 'QUOTE_DOUBLE';
  return scalar;
};

const words = (line: string): string => line.replace(/\s+/g, '');

/** The numbers of the lines that are not blank. */
const filled = (lines: readonly string[]): readonly number[] => lines.flatMap((line, i) => (words(line) === '' ? [] : [i]));

/**
 * The text with what differs between two printings of it, before and after the change. Printing alters blanks and the indent of comments, so
 * the lines of the text are found by their order. Where it alters more, the second printing is given.
 */
const patched = (text: string, before: string, after: string): string => {
  const [lines, old, now] = [text, before, after].map((one) => one.split('\n')) as [string[], string[], string[]];
  const [ofText, ofOld] = [filled(lines), filled(old)];
  const isAligned =
    ofText.length === ofOld.length && ofText.every((line, i) => words(lines[line] ?? '') === words(old[ofOld[i] ?? 0] ?? ''));
  if (!isAligned) return after;
  let first = 0;
  while (first < old.length && first < now.length && old[first] === now[first]) first += 1;
  let last = 0;
  const most = Math.min(old.length, now.length) - first;
  while (last < most && old.at(-1 - last) === now.at(-1 - last)) last += 1;
  const replaced = ofOld.flatMap((line, i) => (line >= first && line < old.length - last ? (ofText[i] ?? []) : []));
  const above = ofText[ofOld.findLastIndex((line) => line < first)] ?? -1;
  const start = replaced[0] ?? above + 1;
  const end = text.includes('\r\n') ? '\r' : '';
  const middle = now.slice(first, now.length - last).filter((line) => words(line) !== '');
  return lines
    .toSpliced(start, replaced.length === 0 ? 0 : (replaced.at(-1) ?? start) - start + 1, ...middle.map((line) => line + end))
    .join('\n');
};
