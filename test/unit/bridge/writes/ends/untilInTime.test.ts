import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IS_LONG } from '../../../../support/chance.ts';
import type { Fate } from '../../../../support/schedules/schedulePlatform.ts';
import { begin, onEnds, tell, untilOf, WEEK } from '../../../../support/schedules/weekStory.ts';
import { storiesIn } from '../../../../support/story.ts';

const MINUTE = 60_000;

test.each(
  storiesIn(`
    comes back at its instant and not a moment before
      say mon-sun none for 5h; wait 297m; posts 1; wait 2m; is; on ends accepted applied; end
    ends and is shown in the local time of the installation, in summer as in winter
      with zone=Europe/Berlin; say mon none until 2027-07-03 12:00; end 2027-07-03T12:00:00+02:00
      until 2026-11-21 09:00; wait 1h; end 2026-11-21T09:00:00+01:00; wait 1h; is
    comes back days late at once, where nobody was there at its instant
      say mon-sun none for 3d; stop; wait 10d; restart; wait; is; posts 2
    leaves days alone that were written or changed meanwhile beside it
      say mon,tue none for 3h; app sun=A; put wed wed=B; wait 4h; is sun=A wed=B
    gives up the days that an ordinary write takes :: say mon,tue none for 3h; put tue tue=A; wait 1h; has end; wait 4h; is tue=A
    of several has the end of the newest, and what was before the first
      say mon none for 3h; say tue none for 1h; say mon 01:00-02:00 normal for 2h; wait 90m; is mon=A tue=none
      wait 1h; is; on ends accepted applied
    is tried until it goes through where a command is refused
      fate yes refused refused refused; say mon none for 1h; wait 3h; on ends failed accepted applied; is; end; most 1
    is tried until it goes through where a command vanished
      fate yes vanished vanished; say mon none for 1h; wait 3h; on ends failed accepted applied; is; end; most 1
    is tried until the platform shows it, where it says yes and does nothing
      fate yes ignored ignored; say mon none for 1h; wait 3h; on ends accepted unconfirmed accepted accepted applied; is; end; posts 4
    is tried so after a restart, too :: fate yes ignored; say mon none for 1h; wait 3570s; posts 2; restart; wait 1h; is; posts 3
    is tried so where a restart came before a read could show it
      fate yes ignored; say mon none for 1h; wait 3500s; posts 2; restart; wait 1h; is; end; posts 3
    is tried so after a kill, where a newer one over it was said yes to and nothing done, and so its return
      with settle_ms=0; fate yes ignored ignored; temp a 20m mon=none; temp b 30s mon=B; wait 50s; kill; wait 1h; is; end
    is tried so where a kill came before a read could show it
      fate yes ignored; say mon none for 1h; wait 3500s; posts 2; kill; wait 1h; is; end; posts 3
    is not tried again where a restart came before a read could show that it was carried out
      with lagMs=30000; say mon none for 1h; wait 3500s; posts 2; restart; wait 1h; is; end; posts 2
    is taken back over the app again where the platform says yes and does nothing
      say mon,tue none for 3h; app tue=A; poll; fate ignored; decide restore unconfirmed not_shown; wait 10m; is; end; posts 3
    goes on to its end where an ordinary write over it was said yes to, and nothing done
      say mon none for 3h; fate ignored; put b mon=B; wait 10m; has end; wait 4h; is; end
    goes on so after a kill, too :: say mon none for 3h; fate ignored; put b mon=B; wait 10s; kill; wait 4h; is; end
    goes on so after a restart, too :: say mon none for 3h; fate ignored; put b mon=B; wait 10s; restart; wait 4h; is; end
    is not brought back over a reset that came after an ordinary write over it, over a kill
      with settle_ms=0; put a mon=A; temp b 20s mon=none; put c mon=B; reset; wait 1s; kill; wait 4h; is; posts 4
    goes on with all of its days where an ordinary write of one of them was said yes to, and nothing done
      say mon,tue none for 3h; fate ignored; put b mon=B; wait 4h; is; end
    ends with the rest of its days where an ordinary write of one of them was carried out, and a stop came before a read could show it
      say mon,tue none for 1h; put b mon=B; wait 1s; restart; wait 4h; is mon=B; end
    ends so after a kill, too :: say mon,tue none for 1h; put b mon=B; wait 1s; kill; wait 4h; is mon=B; end
    ends so where the write shows late, too :: with lagMs=100000; say mon,tue none for 1h; wait 5m; put b mon=B; wait 4h; is mon=B; end; on ends accepted unconfirmed
    comes back where a newer one over it and the return of both were said yes to and nothing done, and it shows only after that
      with lagMs=30000; fate yes ignored ignored; temp a 1m tue=A; wait 2s; temp b 3m tue=B; wait 1s; until now; wait 1h; is; end
    comes back where its return was said yes to and nothing done, and the answer of a write over it was lost with the write
      with settle_ms=0; fate yes ignored vanished; temp a 20m mon=B; wait 1201s; put b mon=none; wait 3h; ends b=failed/unknown_outcome; is; end
    is left to a write over it whose answer was lost, where its return was said yes to and nothing done
      with settle_ms=0; fate yes ignored lost; temp a 20m mon=B; wait 1201s; put b mon=none; wait 3h; is mon=none; end
    goes on where an undo of it was said yes to, and nothing done
      say mon none for 3h; fate ignored; undo unconfirmed not_shown; wait 4h; is; end
    is replaced by an ordinary write, also where that shows only after the last confirming read
      with lagMs=100000; say mon none for 3h; wait 5m; put b mon=B; wait 4h; is mon=B; end; on ends
    is replaced by an ordinary write with its value after one that was said yes to, and nothing done
      with settle_ms=0; say mon none for 3h; fate ignored; put b mon=B; wait 10s; put c mon=none; wait 4h; is mon=none; end
    comes back where a newer one over it was said yes to, and nothing done
      say mon none for 3h; fate ignored; say mon 06:00-22:00 normal for 1h; wait 4h; is; end
    comes back to what was before the first of three, of which the second was said yes to, and nothing done
      say mon none for 50m; fate ignored; say mon 03:00-04:00 comfort for 30m; wait 2m; say mon 01:00-02:00 normal for 10m; wait 4h; is; end
    comes back to what was before the first of two, where neither the second nor its return was carried out at first
      say mon none for 50m; fate ignored ignored; say mon 03:00-04:00 comfort for 30m; wait 4h; is; end
    comes back where an ordinary write over it and one to another day were said yes to and nothing done, one right after the other
      with settle_ms=0; fate yes ignored ignored; temp a 2h tue=B; put b tue=C; temp c 20m mon=B; wait 4h; is; end
    comes back where one over it and an ordinary write over that were said yes to and nothing done, and one to another day came then
      with settle_ms=0; fate yes yes ignored ignored; temp a 2h mon=A; temp b 1m mon=B; put c mon,tue=C; temp d 20m tue=A; wait 4h; is; end
    comes back to what was before it, where a stop came before a read could show an ordinary write over another day, and then a newer one
      with lagMs=8000 settle_ms=0; temp a 20s tue=A; temp b 20s fri=A; put c tue=B; wait 1s; restart; temp d 20s fri=C; wait 1h; is tue=B; end
    comes back where its value was written again over it, which was said yes to and not done, and the read of then lags
      with lagMs=8000 settle_ms=0; fate yes yes ignored; temp a 2h mon=A; wait 2s; temp b 2h mon=B; wait 2s; temp c 2m mon=A; wait 4h; is; end
    comes back where its value was written again over a second one, of which no read could show that it was carried out
      with lagMs=8000; temp a 1m mon=B; wait 5s; temp b 1m mon=was; wait 5s; temp c 1m mon=B; wait 4h; is; end
    is no change to come back to where an ordinary write over two of them is undone, of which the second was not carried out
      say mon none for 3h; fate ignored; say mon 03:00-04:00 comfort for 2h; wait 2m; put mon mon=A; undo applied; wait 4h; is; end
    comes back where the app changed its day while another write was carried out, which made the temporary one of it again
      with lagMs=1 postMs=8000 settle_ms=0; temp a 70s wed,sun=A; wait 65s; put c thu,fri,sat=B; app thu,sun=B; put d fri=C; wait 20s
      temp e 20s tue,sat=C; app tue,wed=B; wait 4h; is thu=B fri=C sat=B; end
    is left to the app, which has changed it before a return was seen that was ignored
      fate yes ignored; say mon none for 1h; wait 3490s; app mon=A; wait 3h; is mon=A; end; posts 2; on ends accepted unconfirmed
    ends now also where the platform says yes and does nothing
      fate yes ignored; say mon none for 4h; until now; wait 10m; is; end; posts 3
    ends now, and answers that, also while a return that was ignored waits
      fate yes ignored ignored; say mon none for 1h; wait 3570s; posts 2; decide now unconfirmed not_shown; wait 1h; is; end
    is done where a command is carried out, but its answer lost
      fate yes lost; say mon none for 1h; wait 3h; on ends applied; is; end; most 1
    comes back where the command that brings it back vanished, and the platform shows only what was before
      with lagMs=100000; fate yes vanished; say mon none for 1m; wait 20m; is; end
    comes back where a newer one vanished that was to write one of its days
      fate yes vanished; 4h mon,tue=none; temp a 5h mon=B; wait 6h; is; end
    comes back where it was adapted when it was written
      fate adapted; say mon none for 1h; wait 3h; on ends accepted applied; is sun=none; end; most 1
    ends once, also where a newer one has brought one of its days back before
      say mon,tue none for 3h; say mon 06:00-22:00 normal for 2h; wait 10h; is; end; posts 3
    is superseded by a new one that comes while it cannot come back
      say mon none for 1h; fate refused; wait 3481s; say mon 01:00-02:00 normal for 5h; wait 4h; is mon=A; wait 2h; is
    comes back once, also where it is asked for at its very instant
      with postMs=3000 lagMs=10000; say mon none for 1h; wait 58m; until now; wait 10m; posts 2; is
    comes back where the platform shows it only after its end
      with lagMs=100000; say mon none for 1m; wait 10m; is; posts 2; end; on ends accepted applied
    comes back where the platform shows it only after its end, and a restart was between
      with lagMs=100000; temp a 1m mon=none; wait 30s; kill; restart; wait 10m; is; posts 2; end
    that was undone by hand has nothing to bring back :: say mon none for 1h; undo applied; wait 3h; is; posts 2; end
  `),
)('a week that ends by itself %s', async (_, ...steps) => void (await tell(...steps)));

test('a week that ends by itself is a conflict where one of its days was changed elsewhere, and the others come back', async () => {
  const world = await tell('say mon,tue none for 3h; app tue=A; poll; conflict tue; wait 4h; is tue=A; posts 2; end; conflict');
  const message = 'tue was changed elsewhere since then, so it stays as it is';
  expect(onEnds(world)).toMatchObject([{ status: 'accepted' }, { status: 'applied', changed: ['mon'], message }]);
});

describe('a day of a temporary write that the app changes', () => {
  test.each(
    storiesIn(`
      is told by the next read, once, and stays where nobody decides
        say mon none for 3h; app mon=A; poll; conflict mon; put b wed=B; wait 30m; poll; conflicts said 1
        wait 3h; is mon=A wed=B; conflict; end; on ends rejected; posts 2
      is emptied by it: a third value too :: say mon 01:00-02:00 normal for 3h; app mon=none; poll; conflict mon
      is as before: no conflict, and nothing to bring back
        say mon,tue none for 3h; app mon=was; poll; conflicts said 0; wait 4h; is; end; on ends accepted applied unchanged; posts 2
      is as written again: the conflict is over
        say mon none for 3h; app mon=A; poll; conflict mon; app mon=none; poll; conflict; wait 4h; is; on ends accepted applied
      is taken back, with the other days, and by an undo it is there again
        say mon,tue none for 3h; app tue=A; poll; decide restore applied; is; conflict; end; posts 2; wait 4h; posts 2; on ends
        undo applied; is tue=A
      is taken back after a kill :: say mon none for 3h; app mon=A; poll; kill; conflict mon; decide restore applied; is; conflict; end
      is taken back after a restart :: say mon none for 3h; app mon=A; poll; restart; conflict mon; decide restore applied; is; conflict; end
      is not taken back where the platform refuses it; it is asked again
        say mon none for 3h; app mon=A; poll; fate refused; decide restore failed validation; conflict mon; has end; is mon=A
        decide restore applied; is; end
      is left to it, and the rest ends at its time
        say mon,tue none for 3h; app tue=A; poll; decide keep applied; conflict; has end; posts 1; wait 4h; is tue=A; on ends accepted applied
      is left to it, and nothing is left to end :: say mon none for 3h; app mon=A; poll; decide keep applied; end; wait 4h; is mon=A; posts 1
      stays, also where the end is asked for now :: say mon,tue none for 3h; app tue=A; poll; decide now applied; is tue=A; end; conflict
      is the one that comes back after a second temporary write
        say mon none for 3h; app mon=A; poll; say mon 03:00-04:00 comfort for 1h; conflict; wait 2h; is mon=A; end
      ends the conflict where it is written by an ordinary write
        say mon none for 3h; app mon=A; poll; write mon=B; conflict; end; wait 4h; is mon=B; on ends
      is told after it shows late, and never too soon
        with lagMs=10000; say mon none for 3h; say mon 01:00-02:00 normal for 3h; conflicts said 0; app mon=B; wait 1m; poll; conflict mon
      is none that the platform has adapted :: fate adapted; say mon none for 3h; wait 1h; conflicts said 0; wait 3h; is sun=none
    `),
  )('%s', async (_, ...steps) => void (await tell(...steps)));

  test('leaves nothing to decide where there is no conflict', async () => {
    await tell(
      'say mon none for 3h; decide keep unchanged; has end; decide restore applied; is; end; posts 2; decide keep rejected no_end',
    );
  });
});

type Step =
  | { readonly do: 'write'; readonly days: string; readonly entries: string; readonly minutes: number }
  | { readonly do: 'pass'; readonly minutes: number }
  | { readonly do: 'now' | 'restart' }
  | { readonly do: 'fail'; readonly fate: Fate };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('write' as const),
    days: fc.constantFrom('mon', 'tue', 'mon,wed', 'mon-sun'),
    entries: fc.constantFrom('none', '01:00-02:00 normal', '03:00-04:00 comfort', '06:00-22:00 normal'),
    minutes: fc.integer({ min: 1, max: 200 }),
  }),
  fc.record({ do: fc.constant('pass' as const), minutes: fc.integer({ min: 0, max: 120 }) }),
  fc.record({ do: fc.constantFrom('now' as const, 'restart' as const) }),
  fc.record({ do: fc.constant('fail' as const), fate: fc.constantFrom<Fate>('refused', 'lost', 'vanished', 'ignored') }),
);

test('however many ends, restarts and failures there are, all is as it was in the end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 12 }),
      fc.constantFrom(0, 8000),
      fc.constantFrom(5000, 30_000, 2 * MINUTE),
      async (steps, lagMs, pauseMs) => {
        const world = await begin({ lagMs, postMs: 500 });
        const ids: number[] = [];
        for (const one of steps) {
          if (one.do === 'write') ids.push(world.write('set', `${one.days} ${one.entries} for ${one.minutes}m`));
          else if (one.do === 'pass') await world.clock.pass(one.minutes * MINUTE);
          else if (one.do === 'now') ids.push(world.write('until/set', 'now'));
          else if (one.do === 'fail') world.platform.fates.push(one.fate);
          else await world.restart();
          await world.clock.pass(pauseMs);
        }
        await world.clock.pass(300 * MINUTE);
        expect(world.platform.week).toEqual(WEEK);
        expect(untilOf(world)).toBeUndefined();
        expect(world.platform.most).toBeLessThan(2);
        for (const id of ids) expect(world.end(id)).toMatch(/^[a-z_ ]+$/);
        await world.stop();
      },
    ),
    { numRuns: IS_LONG ? 60 : 6 },
  );
});
