import { test } from 'vitest';
import { killedAgainAndAgain } from '../../support/system/kills.ts';

// Two hundred times: test/hubs/kills.hub.ts.
const KILLS = 48;
/** So many bridges, each with a house of its own, are killed side by side. */
const SIDE_BY_SIDE = 3;

test(`killed ${KILLS} times at any moment: no token is lost, no call forgotten, no topic orphaned, every write that was begun is answered and sent once`, async () => {
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, () => killedAgainAndAgain(KILLS / SIDE_BY_SIDE)));
}, 180_000);
