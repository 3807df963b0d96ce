import { test } from 'vitest';
import { expectGoodMonth } from '../support/system/liveMonth.ts';

test.each([1, 2, 3, 5, 8, 12, 16, 20])(
  'the whole bridge lives through a month of commands in bursts, restarts and outages, with %i devices',
  (reads) => expectGoodMonth(reads, reads),
  180_000,
);
