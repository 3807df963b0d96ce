import { lineColumns } from '../../shared/issue.ts';

/** A text without the end of a temporary write; `at`: the place of the end's value, `line:column`. */
export type SplitEnd = { readonly text: string; readonly until?: string; readonly for?: string; readonly at?: string };

// A `,` between digits can be a decimal comma (1,5h), or separate entries without a mode.
const SEPARATOR = /(?<!\d),|,(?!\d)|;/gu;
// Only after the last `,` or `;`. After a mode called `until` comes one of them, or nothing.
const END = /(?:^|[\s\u200b\u2060])(until|for)[^\S\r\n]+(?=[^\s,;])/iu;

/** Splits `mon-sun none until 2027-01-03 12:00` or `… for 2h` into the week and its end, in linear time. */
export const splitEnd = (text: string): SplitEnd => {
  let from = 0;
  for (const { index } of text.matchAll(SEPARATOR)) from = index + 1;
  const found = END.exec(text.slice(from));
  if (!found) return { text };
  const start = from + found.index;
  const valueAt = start + found[0].length;
  const value = text.slice(valueAt).trimEnd();
  const before = text.slice(0, start).replace(/[,;]$/u, '');
  const at = lineColumns(text)(valueAt);
  return found[1]?.toLowerCase() === 'until' ? { text: before, until: value, at } : { text: before, for: value, at };
};
