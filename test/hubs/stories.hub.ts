import { test } from 'vitest';
import { everyStoryEndsWell } from '../support/weeksStories.ts';

test(
  'a thousand stories of writers, the app, stops, kills, lags and failures lose nothing that was applied',
  () => everyStoryEndsWell(1000, 11),
  600_000,
);
