import { test } from 'vitest';
import { killedAgainAndAgain } from '../support/system/kills.ts';

test('killed two hundred times at any moment: no token is lost, no call forgotten, no topic orphaned, every write that was begun is answered and sent once', async () => {
  await Promise.all(Array.from({ length: 4 }, (_, system) => killedAgainAndAgain(50, system)));
}, 600_000);
