import { test } from 'vitest';
import { killedAgainAndAgain } from '../../support/system/kills.ts';

// Two hundred times: test/long/kills.test.ts.
const KILLS = 12;
/** So many bridges, each with a test system of its own, are killed side by side. */
const SIDE_BY_SIDE = 2;

test(`killed ${KILLS} times at any moment: no token is lost, no call forgotten, no topic orphaned, every write that was begun is answered and sent once`, async () => {
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, (_, system) => killedAgainAndAgain(KILLS / SIDE_BY_SIDE, system)));
}, 180_000);
