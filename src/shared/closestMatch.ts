import leven from 'leven';

/** Up to `most` allowed words that are similar to `word`, best first; case is ignored. */
export const nearestWords = (word: string, allowed: readonly string[], most = 3): string[] =>
  allowed
    .map((candidate) => ({ candidate, far: leven(word.toLowerCase().slice(0, 100), candidate.toLowerCase()) }))
    .filter(({ candidate, far }) => far <= Math.max(2, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.far - b.far)
    .slice(0, most)
    .map(({ candidate }) => candidate);
