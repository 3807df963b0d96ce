/** Gives the place `line:column` of an offset, both counted from 1; each place takes a few steps, however long the text is. */
export const placesIn = (text: string): ((offset: number) => string) => {
  const starts = [0];
  for (const { index, 0: lineBreak } of text.matchAll(/\r\n|\r|\n/gu)) starts.push(index + lineBreak.length);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return `${low + 1}:${offset - (starts[low] ?? 0) + 1}`;
  };
};
