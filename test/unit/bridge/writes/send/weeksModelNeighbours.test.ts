import { test } from 'vitest';
import { IS_LONG } from '../../../../support/chance.ts';
import { everyStoryWithNeighboursEndsWell } from '../../../../support/schedules/weeksStories.ts';

test(
  'clocks that are set, lost databases, ends, writers in parts and floods lose nothing that was applied, in both versions of MQTT',
  () => everyStoryWithNeighboursEndsWell(IS_LONG ? 250 : 5),
  600_000,
);
