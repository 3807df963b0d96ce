import { test } from 'vitest';
import { everyStoryEndsWell } from '../support/schedules/weeksStories.ts';

test(
  'two thousand stories of writers, the app, stops, kills, lags and failures lose nothing that was applied',
  () => everyStoryEndsWell(2000),
  600_000,
);
