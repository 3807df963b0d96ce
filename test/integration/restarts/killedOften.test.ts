import { test } from 'vitest';
import { killedAgainAndAgain } from '../../support/system/kills.ts';

// Two hundred times: test/long/kills.test.ts.
const KILLS = 3;

test(`killed ${KILLS} times at any moment: no token is lost, no call forgotten, no topic orphaned, every write that was begun is answered and sent once`, async () => {
  await killedAgainAndAgain(KILLS, 0);
}, 180_000);
