import { test } from 'vitest';
import { tell } from '../../../../support/schedules/weekStory.ts';
import { storiesIn } from '../../../../support/story.ts';

// The broker has acknowledged each of these writes: nobody sends it again.
test.each(
  storiesIn(`
    waits for other days of its week is answered by the next run, once, and not sent
      put a mon=A; wait 100ms; kill; wait; ends a=failed/interrupted; posts 0; restart; kill; ends a=failed/interrupted
    waits for the outcome of another is answered too, the other one by the journal
      with postMs=5000; put a mon=A; wait 1s; put b mon=B; wait 1s; kill; wait; ends b=failed/interrupted; posts 1
    was sent is answered once, by the journal :: put a mon=A; wait 600ms; kill; wait; ends a=applied; posts 1
    was answered is not answered again :: put a mon=A; wait; put b mon=A; wait; kill; restart; ends a=applied b=unchanged
    waits while the bridge is stopped has its answer from that run alone :: put a mon=A; wait 100ms; restart; wait; ends a=failed/stopping
  `),
)('a write that %s', async (_, ...story) => {
  await tell(...story);
});
