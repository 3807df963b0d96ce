import { test } from 'vitest';
import { expectGoodMonth } from '../support/system/liveMonth.ts';

test.each([1, 3, 8])(
  'the whole bridge lives through a month of commands in bursts, restarts and outages, with %i devices',
  (reads) => expectGoodMonth(reads, reads),
  600_000,
);
