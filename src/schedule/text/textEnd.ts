import { placesIn } from './textPlaces.ts';

/** A text without the end that stands behind it; `at` is the place of the end's value, `line:column`. */
export type SplitEnd = { readonly text: string; readonly until?: string; readonly for?: string; readonly at?: string };

// A `,` between digits stands in a number (1,5h), or between entries without a mode.
const SEPARATOR = /(?<!\d),|,(?!\d)|;/gu;
// Behind the last `,` or `;` only: so no mode that is called `until` is taken for an end, being followed by one of them, or by nothing.
const END = /(?:^|[\s\u200b\u2060])(until|for)[^\S\r\n]+(?=[^\s,;])/iu;

/** Parts `mon-sun none until 2027-01-03 12:00` or `… for 2h` into the week and its end, in time that grows with the length of the text. */
export const splitEnd = (text: string): SplitEnd => {
  let from = 0;
  for (const { index } of text.matchAll(SEPARATOR)) from = index + 1;
  const found = END.exec(text.slice(from));
  if (!found) return { text };
  const start = from + found.index;
  const valueAt = start + found[0].length;
  const value = text.slice(valueAt).trimEnd();
  const before = text.slice(0, start).replace(/[,;]$/u, '');
  const at = placesIn(text)(valueAt);
  return found[1]?.toLowerCase() === 'until' ? { text: before, until: value, at } : { text: before, for: value, at };
};
