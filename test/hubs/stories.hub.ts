import { test } from 'vitest';
import { everyStoryEndsWell } from '../support/weeksStories.ts';

test(
  'four hundred stories of writers, the app, stops, kills, lags and failures lose nothing that was applied',
  () => everyStoryEndsWell(400, 20_261_122),
  600_000,
);
