import { test } from 'vitest';
import { everyStoryEndsWell } from '../../support/weeksStories.ts';

test(
  'writers, the app, stops, kills, lags and failures in any order lose nothing that was applied',
  () => everyStoryEndsWell(200, 20_261_122),
  120_000,
);
