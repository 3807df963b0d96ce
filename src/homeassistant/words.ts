// Unicode classes take milliseconds at first use.
const ASCII = /^[ -~]*$/;

const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', ø: 'o', œ: 'oe', đ: 'd', ł: 'l' };

const asciiOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[ßæøœđł]/g, (letter) => LETTERS[letter] ?? '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '');

/** A text as part of an entity id, `[a-z0-9_]`; empty if no character can be converted. */
export const slug = (text: string): string =>
  (ASCII.test(text) ? text.toLowerCase() : asciiOf(text)).replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '');
