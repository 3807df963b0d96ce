import type { End } from '../editor/types.ts';
import type { Week } from '../schedule/week.ts';

/** A text of Home Assistant has at most so many characters. */
const LONGEST = 255;
/** `part 12/34 0123456789ab: ` */
const PREFIX = 26;

/** The payload of a write (docs/topics.md): refused where the week is another than that of `rev`. */
export const payloadOf = (id: string, rev: string, week: Partial<Week>, end: End): string =>
  JSON.stringify({ value: week, id, if_rev: rev, ...end });

/** A payload as texts that Home Assistant takes: as it is, or in parts. */
export const textsOf = (payload: string, id: string): readonly string[] => {
  const characters = [...payload];
  if (characters.length <= LONGEST) return [payload];
  const size = LONGEST - PREFIX;
  const count = Math.ceil(characters.length / size);
  return Array.from(
    { length: count },
    (_, index) => `part ${index + 1}/${count} ${id}: ${characters.slice(index * size, (index + 1) * size).join('')}`,
  );
};
