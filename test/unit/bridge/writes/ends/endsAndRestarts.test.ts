import { describe, test } from 'vitest';
import { tell } from '../../../../support/schedules/weekStory.ts';
import { storiesIn } from '../../../../support/story.ts';

describe.each(['restart', 'kill'])('a temporary write before a %s, while the platform shows nothing yet,', (end) => {
  test.each(
    storiesIn(`
      ends, also where an ordinary write of the same day came before it
        with settle_ms=0; begin mon,tue=A; wait 100ms; temp a 2h mon=none; wait 100ms; ${end}; is mon=none tue=A; wait 3h; is mon,tue=A
      has no end any more where an ordinary write of the same day came after it
        with settle_ms=0; temp a 2h mon=none; wait 100ms; put b mon=B; wait 100ms; ${end}; wait 3h; is mon=B
      keeps its end where a second one with the same id was never carried out
        with settle_ms=0 lagMs=3000 postMs=2000; temp same 2h mon=A; wait 2100ms; fate vanished; temp same 9h mon=B; wait 500ms
        ${end}; wait 3h; is
    `),
  )('%s', async (_, ...steps) => void (await tell(...steps)));
});

test.each(
  storiesIn(`
    a write whose end passes while it waits for its turn is not sent
      with settle_ms=0; fate vanished; put a mon=A; wait 1s; temp late 30s tue=B; wait 200s; ends late=rejected/invalid; posts 1
    a temporary write of an earlier run leaves to the app what it changed while the bridge waited for the outcome
      with settle_ms=0 postMs=8000; temp a 20s sun=A; wait 100ms; stop; wait 15m; restart; poll; app sun=B; wait 10m; is sun=B; posts 1
    a temporary write whose answer was lost ends, also where the app has changed one of its days before the platform shows it
      with lagMs=200000; fate lost; 4h mon,tue=none; app mon=A; wait 5m; poll; wait 5h; is mon=A
    a temporary write that the platform adapted ends, also where the process is killed before a read shows what it made of it
      with settle_ms=0; fate adapted; temp a 1h sun=B; wait 1s; kill; wait 2m; is sun=none; wait 3h; is
    a temporary write that the platform adapted ends, also where the bridge is stopped before a read shows what it made of it
      with settle_ms=0; fate adapted; temp a 1h sun=B; wait 1s; stop; restart; poll; is sun=none; wait 3h; is
    a temporary write that the platform adapted ends, also where it shows only after the last confirming read
      with settle_ms=0 lagMs=100000; fate adapted; temp a 1h sun=B; wait 4h; is
    an edit from before a write that named it as it was shown, and that shows late, is not written back
      with settle_ms=0 lagMs=3000; app mon=C; whole tue=A; wait 1200ms; is tue=A; put b wed=B; wait 100s; is tue=A wed=B
    an edit from after a write that named it as it was shown stays
      with settle_ms=0 lagMs=3000; whole tue=A; wait 1200ms; app mon=C; wait 5s; put b wed=B; wait 100s; is mon=C tue=A wed=B
  `),
)('%s', async (_, ...steps) => void (await tell(...steps)));
