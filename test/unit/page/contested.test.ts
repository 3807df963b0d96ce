import { test } from 'vitest';
import { contestedIn } from '../../../src/page/model/contested.ts';
import { expectTable } from '../../support/golden.ts';

test('what was changed elsewhere is read from a topic', () =>
  expectTable('contestedParts', 5, (_: string, payload: string) => contestedIn(payload)));
