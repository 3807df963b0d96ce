import { test } from 'vitest';
import { expectGoodMonth } from '../../support/system/liveMonth.ts';

// Seven more sizes of house: test/hubs/months.hub.ts.
test(
  'the whole bridge lives through a month of commands in bursts, restarts and outages, with eight devices',
  () => expectGoodMonth(8, 21),
  120_000,
);
