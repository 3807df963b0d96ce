import { expect, test } from 'vitest';
import { percentDecoded } from '../../../src/shared/percentDecoded.ts';

test.each([
  ['', ''],
  ['plain', 'plain'],
  ['p%40ss', 'p@ss'],
  ['100%', '100%'],
  ['%C3', '%C3'],
  ['%C3%A4', 'ä'],
])('%s is %s', (encoded, text) => expect(percentDecoded(encoded)).toBe(text));
