/** The form of almost every list of records: nothing but the list, bare or as `data`. JSON knows no other blanks. */
const BEGINNING = /^[ \t\r\n]*(?:\{[ \t\r\n]*"data"[ \t\r\n]*:[ \t\r\n]*)?\[[ \t\r\n]*(?=\{)/u;
const BETWEEN = /[ \t\r\n]*,[ \t\r\n]*(?=\{)/uy;
const END = /[ \t\r\n]*\][ \t\r\n]*(\}[ \t\r\n]*)?$/uy;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** More are not compared one by one. */
const MOST_RECORDS = 5000;

/** Where the object that begins at `from` ends; the text is taken for JSON. */
const endOf = (text: string, from: number): number => {
  let depth = 0;
  let isInText = false;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isInText) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isInText = false;
    } else if (code === QUOTE) isInText = true;
    // { and [
    else if (code === 0x7b || code === 0x5b) depth += 1;
    // } and ]
    else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
};

/** A copy: a slice would keep the whole body in memory. */
const copied = (text: string, from: number, to: number): string => Buffer.from(text.slice(from, to)).toString();

/**
 * The text of each record of a list, so that only those have to be parsed that are others than before; undefined where the body has another
 * form, and has to be parsed whole. `before`: the texts of an earlier list; a record that is the same as the one in its place there is given as
 * that text. A text that is not in `before` is perhaps no JSON.
 */
export const recordTexts = (body: string, before: readonly (string | undefined)[]): readonly string[] | undefined => {
  const [opening] = BEGINNING.exec(body) ?? [];
  if (opening === undefined) return undefined;
  const texts: string[] = [];
  for (let at = opening.length; texts.length < MOST_RECORDS; ) {
    const known = before[texts.length];
    const isKnown = known !== undefined && body.startsWith(known, at);
    const end = isKnown ? at + known.length : endOf(body, at);
    texts.push(isKnown ? known : copied(body, at, end));
    BETWEEN.lastIndex = end;
    if (!BETWEEN.test(body)) {
      END.lastIndex = end;
      const closing = END.exec(body);
      return closing && (closing[1] !== undefined) === opening.includes('{') ? texts : undefined;
    }
    at = BETWEEN.lastIndex;
  }
  return undefined;
};
