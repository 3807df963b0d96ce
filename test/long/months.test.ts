import { test } from 'vitest';
import { expectGoodMonth } from '../support/system/liveMonth.ts';

// Those of one device and of many are in files of their own, to run at the same time.
test.each([3, 8])(
  'the whole bridge lives through a month of commands in bursts, restarts and outages, with %i devices',
  (reads) => expectGoodMonth(reads, reads),
  600_000,
);
