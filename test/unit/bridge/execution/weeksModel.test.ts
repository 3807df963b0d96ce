import { test } from 'vitest';
import { everyStoryEndsWell } from '../../../support/schedules/weeksStories.ts';

test(
  'writers, the app, stops, kills, lags and failures in any order lose nothing that was applied',
  () => everyStoryEndsWell(200),
  120_000,
);
