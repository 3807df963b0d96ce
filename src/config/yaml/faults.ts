import { isScalar, type Node, type parseDocument, visit } from 'yaml';

/** A YAML text from the parser. */
export type Document = ReturnType<typeof parseDocument>;

/** A fault at an offset of a YAML text. `what` never quotes values (passwords), only keys. */
export type Fault = { readonly offset: number; readonly rule: 'duplicate' | 'syntax'; readonly what: string };

const QUOTED = 'must be in quotes';
const COLUMN = 'keys of one section, and items of one list, must begin in the same column';
const COMMA = 'a comma is missing between two items within { } or [ ]';
const KEY = 'a key needs a colon and a space after it, such as base: heating2mqtt';
const UNKNOWN = 'this is not expected here';

/** The sentence by parser code and start of the message; the first matching row applies. */
const ROWS: readonly (readonly [code: string, message: string, sentence: string])[] = [
  ['TAB_AS_INDENT', '', 'indent with spaces, not tabs'],
  ['TAG_RESOLVE_FAILED', '', `a text that begins with ! ${QUOTED}`],
  ['MULTIPLE_ANCHORS', '', `a text that begins with & ${QUOTED}`],
  ['BAD_SCALAR_START', '', `a text that begins with a sign such as @ % , or \` ${QUOTED}`],
  ['BAD_DQ_ESCAPE', '', 'write a backslash twice within "…", and once within \'…\''],
  ['BAD_DIRECTIVE', '', `a text that begins with % ${QUOTED}`],
  ['MULTIPLE_DOCS', '', 'a settings file is one document: remove the line ---'],
  ['BLOCK_IN_FLOW', '', COMMA],
  ['BLOCK_AS_IMPLICIT_KEY', '', `each key needs its own line; a text that contains a colon and a space ${QUOTED}`],
  ['MULTILINE_IMPLICIT_KEY', '', KEY],
  ['MISSING_CHAR', 'Implicit', KEY],
  ['MISSING_CHAR', 'Missing ,', COMMA],
  ['MISSING_CHAR', 'Missing closing', 'the closing quote of this text is missing'],
  ['BAD_INDENT', 'Flow map', 'a { above is not closed: its } is missing, or less indented than its key'],
  ['BAD_INDENT', 'Flow seq', 'a [ above is not closed: its ] is missing, or less indented than its key'],
  ['BAD_INDENT', '', COLUMN],
  [
    'UNEXPECTED_TOKEN',
    'Unexpected block-seq-ind',
    `a list must begin below its key, or be written as [a, b]; a text that begins with - ${QUOTED}`,
  ],
  ['UNEXPECTED_TOKEN', 'Block scalar header', `a text that begins with | or > ${QUOTED}`],
  ['UNEXPECTED_TOKEN', 'Unexpected flow-', `there is an extra } or ]; a text that begins with one ${QUOTED}`],
  ['UNEXPECTED_TOKEN', 'Unexpected scalar at', "nothing may follow a closing quote, } or ]; write a ' twice within '…'"],
];

const isBlank = (text: string): boolean => text.trim() === '';

/** The text before the offset on its line. */
const before = (text: string, offset: number): string => text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);

/** The start of the next line that is not blank; the offset itself if there is none. */
const nextLine = (text: string, offset: number): number => {
  const end = text.indexOf('\n', offset);
  const found = end < 0 ? -1 : text.slice(end).search(/\S/);
  return found < 0 ? offset : end + found;
};

/** The start of the last quoted text: without a closing quote, it takes all that follows. */
const lastQuote = (document: Document): number | undefined => {
  let offset: number | undefined;
  visit(document, {
    Scalar: (_, { type, range }) => {
      if (type?.startsWith('QUOTE')) offset = range?.[0];
    },
  });
  return offset;
};

const keyAt = (text: string, offset: number): string =>
  /^(?:"[^"\n]*"|'[^'\n]*'|[^\s:,{}]+)/.exec(text.slice(offset, offset + 100))?.[0] ?? 'a key';

/** Duplicate keys of a section. The parser's own search takes minutes for a long key list. */
const keysTwice = (text: string, document: Document, lineAt: (offset: number) => number): readonly Fault[] => {
  const found: Fault[] = [];
  visit(document, {
    Map: (_, { items }) => {
      const firsts = new Map<unknown, number>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const offset = key.range?.[0] ?? 0;
        const first = firsts.get(key.value);
        firsts.set(key.value, first ?? offset);
        if (first === undefined) continue;
        const isHere = lineAt(first) === lineAt(offset);
        const where = isHere ? 'is written twice; keep one' : `is already in line ${lineAt(first)}; merge the two`;
        found.push({ offset, rule: 'duplicate', what: `"${keyAt(text, offset)}" ${where}` });
      }
    },
  });
  return found;
};

type ParserError = Document['errors'][number];

const faultOf = (
  { code, message, pos: [offset] }: ParserError,
  text: string,
  document: Document,
  others: readonly ParserError[],
): Fault => {
  const syntax = (what: string, at = offset): Fault => ({ offset: at, rule: 'syntax', what: `invalid YAML: ${what}` });
  // The parser joins a value and a more indented key on the next line into one key.
  if (code === 'BLOCK_AS_IMPLICIT_KEY' && others.some((one) => one.code === 'MULTILINE_IMPLICIT_KEY' && one.pos[0] === offset))
    return syntax(COLUMN, nextLine(text, offset));
  if (code === 'UNEXPECTED_TOKEN' && message.startsWith('Unexpected scalar at') && isBlank(before(text, offset))) return syntax(COLUMN);
  const [, , sentence = UNKNOWN] = ROWS.find((row) => row[0] === code && message.startsWith(row[1])) ?? [];
  if (sentence === KEY && /^[\w-]+:\S/.test(text.slice(offset))) return syntax('a space is missing after the colon');
  return syntax(sentence, message.startsWith('Missing closing') ? lastQuote(document) : offset);
};

/** Texts that YAML silently reads as something else. */
const silentFaults = (document: Document): readonly Fault[] => {
  const found: Fault[] = [];
  const add = (node: Node, sign: string): void => {
    found.push({ offset: node.range?.[0] ?? 0, rule: 'syntax', what: `invalid YAML: a text that begins with ${sign} ${QUOTED}` });
  };
  visit(document, {
    Alias: (_, alias) => {
      if (!alias.resolve(document)) add(alias, '*');
    },
    Scalar: (_, scalar) => {
      if (scalar.anchor !== undefined && scalar.source === '') add(scalar, '&');
    },
  });
  return found;
};

/** Every fault of a YAML text once, as a message for settings; `lineAt`: the line of an offset. */
export const faultsOf = (text: string, document: Document, lineAt: (offset: number) => number): readonly Fault[] => {
  // The parser only warns about an unknown tag, and would drop its value.
  const all = [...document.errors, ...document.warnings];
  const isPartOf = ({ code, pos }: ParserError): boolean =>
    code === 'MULTILINE_IMPLICIT_KEY' && all.some((one) => one.code === 'BLOCK_AS_IMPLICIT_KEY' && one.pos[0] === pos[0]);
  const syntax = all.filter((one) => !isPartOf(one)).map((error) => faultOf(error, text, document, all));
  const faults = syntax.length > 0 ? syntax : silentFaults(document);
  // Consequences of another fault are not reported.
  const known = faults.filter(({ what }) => !what.endsWith(UNKNOWN));
  const ordered = (known.length > 0 ? known : faults).toSorted((a, b) => b.offset - a.offset);
  const ofLines = [...new Map(ordered.map((fault) => [lineAt(fault.offset), fault])).values()];
  const once = [...new Map(ofLines.map((fault) => [fault.what, fault])).values()];
  return [...once, ...keysTwice(text, document, lineAt)].toSorted((a, b) => a.offset - b.offset);
};
