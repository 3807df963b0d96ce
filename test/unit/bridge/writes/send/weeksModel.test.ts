import { test } from 'vitest';
import { IS_LONG } from '../../../../support/chance.ts';
import { everyStoryEndsWell, everyStoryWithNeighboursEndsWell } from '../../../../support/schedules/weeksStories.ts';

test(
  'writers, the app, stops, kills, lags and failures in any order lose nothing that was applied',
  () => everyStoryEndsWell(IS_LONG ? 1500 : 15),
  600_000,
);

test(
  'nor do clocks that are set, lost databases, ends, writers in parts and floods, in both versions of MQTT',
  () => everyStoryWithNeighboursEndsWell(IS_LONG ? 250 : 5),
  600_000,
);
