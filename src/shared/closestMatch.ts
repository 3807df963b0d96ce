/** How many letters have to be put in, taken out or replaced (Levenshtein); small, since the browser loads it too. */
const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let at = 0; at < from.length; at += 1) {
    const next = [at + 1];
    for (let index = 0; index < to.length; index += 1) {
      const replaced = (row[index] ?? 0) + (from[at] === to[index] ? 0 : 1);
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
};

/** Up to `most` allowed words that are similar to `word`, best first; case is ignored. */
export const nearestWords = (word: string, allowed: readonly string[], most = 3): string[] =>
  allowed
    .map((candidate) => ({ candidate, far: distance(word.toLowerCase().slice(0, 100), candidate.toLowerCase()) }))
    .filter(({ candidate, far }) => far <= Math.max(2, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.far - b.far)
    .slice(0, most)
    .map(({ candidate }) => candidate);
