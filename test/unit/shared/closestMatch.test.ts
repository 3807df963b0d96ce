import { expect, test } from 'vitest';
import { nearestWords } from '../../../src/shared/closestMatch.ts';

test.each<[string, readonly string[], readonly string[]]>([
  ['norml', ['reduced', 'normal', 'comfort'], ['normal']],
  ['NORMAL', ['normal'], ['normal']],
  ['comfrot', ['comfort'], ['comfort']],
  ['strat', ['end', 'start', 'state'], ['start', 'state']],
  ['', ['on'], ['on']],
  ['kitten', ['sitting', 'mitten'], ['mitten']],
  ['x'.repeat(5000), ['mode'], []],
])('%s is meant as', (word, allowed, expected) => expect(nearestWords(word, allowed)).toEqual(expected));
