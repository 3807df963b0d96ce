import { createScanner, printParseErrorCode, visit } from 'jsonc-parser';
import { bad, broken, type Checked, good, type Issue, lineColumns, listed, pointer, shown } from './issue.ts';

/** Any JSON value. The platform never sends null; null is read as no value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** True for a JSON object: no array, no null. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The JSON object that a text is; undefined for anything else. */
export const jsonObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** True if arrays and objects are nested deeper than `levels`; looks no deeper than that. */
export const isDeeperThan = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  const members = Object.values(value);
  if (levels === 0) return members.length > 0;
  for (const member of members) if (typeof member === 'object' && isDeeperThan(member, levels - 1)) return true;
  return false;
};

// The deepest value of the platform has 4 levels. `visit` of jsonc-parser recurses once per level.
const DEEPEST = 100;

// By jsonc-parser's names of its error codes.
const SENTENCES: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is no JSON value; texts and keys stand in double quotes',
  InvalidNumberFormat: 'this is no JSON number; write 21.5, without leading zeros',
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

type Frame = { readonly keys: Map<string, string> | undefined; key: string | number; awaitsKey: boolean };

type Walk = { readonly tooDeep: string | undefined; readonly twice: readonly Issue[] };

/** One pass over the tokens without recursion: where nesting gets too deep, and every repeated key. */
const walk = (text: string): Walk => {
  const scanner = createScanner(text, true);
  const frames: Frame[] = [];
  const twice: Issue[] = [];
  const here = (): string => place(scanner.getTokenStartLine(), scanner.getTokenStartCharacter());
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const token = text.charAt(scanner.getTokenOffset());
    const frame = frames.at(-1);
    if (token === '{' || token === '[') {
      if (frames.length === DEEPEST) return { tooDeep: here(), twice };
      frames.push({ keys: token === '{' ? new Map() : undefined, key: 0, awaitsKey: token === '{' });
    } else if (token === '}' || token === ']') {
      frames.pop();
    } else if (frame && token === ',') {
      frame.awaitsKey = frame.keys !== undefined;
      if (typeof frame.key === 'number') frame.key += 1;
    } else if (frame?.keys && frame.awaitsKey && token === '"') {
      frame.key = scanner.getTokenValue();
      frame.awaitsKey = false;
      const first = frame.keys.get(frame.key);
      if (first === undefined) frame.keys.set(frame.key, here());
      else twice.push(givenTwice(frames, frame.key, first, here()));
    }
  }
  return { tooDeep: undefined, twice };
};

const givenTwice = (frames: readonly Frame[], key: string, first: string, second: string): Issue =>
  broken(
    'twice',
    pointer(...frames.map((frame) => frame.key)),
    `${shown(key)} is given twice, at ${first} and at ${second}; give it once`,
    {
      got: key,
    },
  );

/** The first syntax error of a text that JSON.parse has refused. */
const firstError = (text: string): Issue => {
  const cut = /(?:…|\.\.\.)\s*$/u.exec(text);
  if (cut) return broken('truncated', lineColumns(text)(cut.index), 'the text ends in dots, so it was cut on its way; send the whole');
  const errors: Issue[] = [];
  visit(
    text,
    {
      onError: (code, _offset, _length, line, character) => {
        if (errors.length > 0) return;
        errors.push(broken('json', place(line, character), SENTENCES[printParseErrorCode(code)] ?? 'this is no JSON'));
      },
    },
    { disallowComments: true, allowTrailingComma: false },
  );
  // jsonc-parser accepts some characters that JSON.parse does not (no-break space, byte order mark), so these have no place.
  return errors[0] ?? broken('json', '1:1', 'this is no strict JSON; a character that is not allowed stands between its values');
};

/**
 * Parses strict JSON. Issues: `json` and `truncated` with `line:column` as path; `twice` for every repeated key, with its JSON pointer as
 * path and both places in the message.
 */
export const parseJson = (text: string): Checked<Json> => {
  const { tooDeep, twice } = walk(text);
  if (tooDeep !== undefined) return bad(broken('json', tooDeep, `this is nested more than ${DEEPEST} deep`));
  try {
    const value: Json = JSON.parse(text);
    return twice.length > 0 ? bad(...listed(twice)) : good(value);
  } catch {
    return bad(firstError(text));
  }
};
