import { test } from 'vitest';
import { IS_LONG } from '../../../../support/chance.ts';
import { everyStoryEndsWell } from '../../../../support/schedules/weeksStories.ts';

test(
  'writers, the app, stops, kills, lags and failures in any order lose nothing that was applied',
  () => everyStoryEndsWell(IS_LONG ? 1500 : 15),
  600_000,
);
