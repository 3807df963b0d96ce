import { type JSONPath, type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser';
import { bad, broken, type Checked, good, type Issue, lineColumns, listed, pointer, shown } from './issue.ts';

/** Any JSON value. The platform never sends null; null is read as no value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** True for a JSON object: no array, no null. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Characters that JSON allows unescaped, but that YAML refuses or that reverse or end the shown line. */
const INVISIBLE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g;

/** A text in JSON quotes, which YAML also accepts. It is unambiguous in both. */
export const quotedText = (text: string): string =>
  JSON.stringify(text).replace(INVISIBLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Parses a JSON object; undefined for anything else. */
export const jsonObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** True if arrays and objects are nested deeper than `levels`. It stops at that depth. */
export const isDeeperThan = (value: unknown, levels: number): boolean => {
  // No member list and no closure, because this runs on every read value.
  if (Array.isArray(value)) for (const member of value) if (levels === 0 || isDeeperThan(member, levels - 1)) return true;
  if (isRecord(value)) for (const key in value) if (levels === 0 || isDeeperThan(value[key], levels - 1)) return true;
  return false;
};

// The deepest value of the platform has 4 levels. `visit` of jsonc-parser recurses once per level.
const DEEPEST = 100;

// By the error code names of jsonc-parser.
const SENTENCES: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is not a JSON value; texts and keys need double quotes',
  InvalidNumberFormat: 'this is not a JSON number; write 21.5, without leading zeros',
  PropertyNameExpected: 'a key in double quotes is expected here',
  ValueExpected: 'a value is expected here',
  ColonExpected: 'a colon is expected after the key',
  CommaExpected: 'a comma is expected before the next item',
  CloseBraceExpected: 'a closing } is missing',
  CloseBracketExpected: 'a closing ] is missing',
  EndOfFileExpected: 'the JSON value ends before this; nothing may follow it',
  InvalidCommentToken: 'comments are not allowed in JSON',
  UnexpectedEndOfComment: 'comments are not allowed in JSON',
  UnexpectedEndOfString: 'the closing " of this text is missing',
  UnexpectedEndOfNumber: 'digits are missing in this number',
  InvalidUnicode: '\\u is followed by four hexadecimal digits',
  InvalidEscapeCharacter: 'after \\ comes one of " \\ / b f n r t u',
  InvalidCharacter: 'a control character in a text is written as \\u00XX',
};

const place = (line: number, character: number): string => `${line + 1}:${character + 1}`;

type Found = { readonly tooDeep: Issue | undefined; readonly error: Issue | undefined; readonly twice: readonly Issue[] };

/** One pass over a text: excessive nesting (ends the pass), the first syntax error, all repeated keys. */
const walk = (text: string): Found => {
  let tooDeep: Issue | undefined;
  let error: Issue | undefined;
  const twice: Issue[] = [];
  /** The places of the keys of each open object, by nesting level. */
  const places: Map<string, string>[] = [];
  const begin = (_offset: number, _length: number, line: number, character: number, path: () => JSONPath): void => {
    const level = path().length;
    places[level] = new Map();
    if (level < DEEPEST) return;
    tooDeep = broken('json', place(line, character), `this is nested more than ${DEEPEST} levels deep`);
    throw new Error(tooDeep.message);
  };
  const visitor: JSONVisitor = {
    onObjectBegin: begin,
    onArrayBegin: begin,
    onObjectProperty: (key, _offset, _length, line, character, path) => {
      const keys = path();
      const here = place(line, character);
      const first = places[keys.length]?.get(key);
      if (first === undefined) places[keys.length]?.set(key, here);
      else
        twice.push(
          broken('twice', pointer(...keys, key), `${shown(key)} is given twice, at ${first} and at ${here}; give it once`, { got: key }),
        );
    },
    onError: (code, _offset, _length, line, character) => {
      error ??= broken('json', place(line, character), SENTENCES[printParseErrorCode(code)] ?? 'this is not JSON');
    },
  };
  try {
    visit(text, visitor, { disallowComments: true, allowTrailingComma: false });
  } catch (cause) {
    if (!tooDeep) throw cause;
  }
  return { tooDeep, error, twice };
};

/**
 * Parses strict JSON. Issues: `json` and `truncated` with `line:column` as path; `twice` for each repeated
 * key, with its JSON pointer as path and both places in the message.
 */
export const parseJson = (text: string): Checked<Json> => {
  const { tooDeep, error, twice } = walk(text);
  if (tooDeep) return bad(tooDeep);
  try {
    const value: Json = JSON.parse(text);
    return twice.length > 0 ? bad(...listed(twice)) : good(value);
  } catch {
    const cut = /(?:…|\.\.\.)\s*$/u.exec(text);
    if (cut)
      return bad(
        broken(
          'truncated',
          lineColumns(text)(cut.index),
          'the text ends with dots, so it was shortened on the way; send the complete text',
        ),
      );
    // jsonc-parser accepts characters that JSON.parse refuses (no-break space, byte order mark): no place.
    return bad(error ?? broken('json', '1:1', 'this is not valid JSON: a character between its values is not allowed'));
  }
};
