import { nearestWords } from '../../shared/closestMatch.ts';
import { UsageError } from '../../shared/errors.ts';

/** A mistake on the command line: one sentence, and the command whose help explains more. */
export const usageError = (sentence: string, command = 'heating2mqtt'): UsageError =>
  new UsageError('usage', `${sentence} \`${command} --help\` explains.`);

/** The sentence for an unknown word, with the nearest known word, or all if none is near. */
export const unknownWord = (what: string, word: string, known: readonly string[]): string => {
  const [near] = nearestWords(word, known, 1);
  return `There is no ${what} ${word}. ${near === undefined ? `Available: ${known.join(', ')}.` : `Did you mean ${near}?`}`;
};
