import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type Scalar, visit } from 'yaml';
import type { Path } from '../validation/mistake.ts';
import { type Document, type Fault, faultsOf } from './faults.ts';

/** A fault at a line and, if other text precedes it there, a column; both counted from 1. */
type YamlFault = { readonly line: number; readonly column?: number; readonly rule: 'duplicate' | 'syntax'; readonly what: string };

/** The content of a YAML text: scalars as written (ids keep zeros and digits), null if empty. */
export type YamlText = {
  readonly tree: unknown;
  readonly faults: readonly YamlFault[];
  /** The line, counted from 1, of the key or list item at the path. */
  readonly lineOf: (path: Path) => number | undefined;
};

const NOTHING = /^(?:|~|null|Null|NULL)$/;

const meansNothing = (scalar: Scalar): boolean => scalar.type === 'PLAIN' && NOTHING.test(scalar.source ?? '');

const toTree = (document: Document): unknown => {
  visit(document, {
    Scalar: (key, scalar) => {
      if (key !== 'key' && meansNothing(scalar)) scalar.value = null;
    },
  });
  return document.toJS({ maxAliasCount: 100 });
};

const offsetOf = (document: Document, path: Path): number | undefined => {
  let node: unknown = document.contents;
  let offset: number | undefined;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === step) : undefined;
    const item = isSeq(node) && typeof step === 'number' ? node.items[step] : pair?.key;
    if (!isNode(item)) return offset;
    offset = item.range?.[0] ?? offset;
    node = pair ? pair.value : item;
  }
  return offset;
};

/** Reads one YAML document, or JSON; scalars stay text. Never throws. */
export const readYaml = (text: string): YamlText => {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    schema: 'failsafe',
    prettyErrors: false,
    uniqueKeys: false,
    lineCounter: lines,
    logLevel: 'error',
  });
  const located = ({ offset, rule, what }: Fault): YamlFault => {
    const { line, col: column } = lines.linePos(offset);
    const isFirst = text.slice(offset - column + 1, offset).trim() === '';
    return { line, ...(isFirst ? {} : { column }), rule, what };
  };
  const faults = faultsOf(text, document, (offset) => lines.linePos(offset).line).map(located);
  const lineOf = (path: Path): number | undefined => {
    const offset = offsetOf(document, path);
    return offset === undefined ? undefined : lines.linePos(offset).line;
  };
  if (faults.some(({ rule }) => rule === 'syntax')) return { tree: null, faults, lineOf };
  try {
    return { tree: toTree(document), faults, lineOf };
  } catch {
    // The text has more aliases than a settings file can need.
    const what = 'invalid YAML: too many texts that begin with * (aliases)';
    return { tree: null, faults: [...faults, { line: 1, rule: 'syntax', what }], lineOf };
  }
};
