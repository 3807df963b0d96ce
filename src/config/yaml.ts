import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type Scalar, visit } from 'yaml';
import type { Path } from './validation/mistake.ts';

/** A fault of the text itself, at a line and column counted from 1. */
type YamlFault = { readonly line: number; readonly column: number; readonly rule: 'duplicate' | 'syntax'; readonly what: string };

/** The content of a YAML text. Every scalar is text as written (ids keep their zeros and all their digits), or null where nothing was written. */
export type YamlText = {
  readonly tree: unknown;
  readonly faults: readonly YamlFault[];
  /** The line, counted from 1, of the key or list item at the path. */
  readonly lineOf: (path: Path) => number | undefined;
};

const NOTHING = /^(?:|~|null|Null|NULL)$/;

const meansNothing = (scalar: Scalar): boolean => scalar.type === 'PLAIN' && NOTHING.test(scalar.source ?? '');

type Document = ReturnType<typeof parseDocument>;

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

const keyAt = (text: string, offset: number): string =>
  /^(?:"[^"\n]*"|'[^'\n]*'|[^\s:,{}]+)/.exec(text.slice(offset, offset + 100))?.[0] ?? 'a key';

/** Sentences for faults where the parser's own message quotes the text, which may be a password. */
const SENTENCES: Readonly<Record<string, string>> = {
  TAG_RESOLVE_FAILED: 'a text that begins with ! stands in quotes',
  TAB_AS_INDENT: 'indent with spaces, not tabs',
  BAD_DIRECTIVE: 'a line that begins with % is a directive of YAML, and this one is none',
};

/** Other messages of the parser quote the text after a colon. */
const withoutContent = (message: string): string => message.replace(/:.*$/s, '');

/** Reads one YAML document, or JSON; scalars stay text. Never throws. */
export const readYaml = (text: string): YamlText => {
  const lines = new LineCounter();
  const document = parseDocument(text, { schema: 'failsafe', prettyErrors: false, lineCounter: lines, logLevel: 'error' });
  // The parser only warns about an unknown tag, and would drop its value.
  const faults = [...document.errors, ...document.warnings].map(({ code, message, pos }): YamlFault => {
    const { line, col: column } = lines.linePos(pos[0]);
    return code === 'DUPLICATE_KEY'
      ? { line, column, rule: 'duplicate', what: `${keyAt(text, pos[0])} is written twice in the same place; allowed: once` }
      : { line, column, rule: 'syntax', what: `invalid YAML: ${SENTENCES[code] ?? withoutContent(message)}` };
  });
  const lineOf = (path: Path): number | undefined => {
    const offset = offsetOf(document, path);
    return offset === undefined ? undefined : lines.linePos(offset).line;
  };
  if (faults.some(({ rule }) => rule === 'syntax')) return { tree: null, faults, lineOf };
  try {
    return { tree: toTree(document), faults, lineOf };
  } catch (error) {
    // An alias without its anchor, or more aliases than a settings file can need.
    const what = `is not YAML (${withoutContent(error instanceof Error ? error.message : String(error))})`;
    return { tree: null, faults: [...faults, { line: 1, column: 1, rule: 'syntax', what }], lineOf };
  }
};
