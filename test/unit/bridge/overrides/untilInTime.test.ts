import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IS_LONG } from '../../../support/chance.ts';
import type { Fate } from '../../../support/schedules/schedulePlatform.ts';
import { begin, onEnds, tell, untilOf, WEEK } from '../../../support/schedules/weekStory.ts';
import { storiesIn } from '../../../support/story.ts';

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
    is done where a command is carried out, but its answer lost
      fate yes lost; say mon none for 1h; wait 3h; on ends applied; is; end; most 1
    comes back where it was adapted when it was written
      fate adapted; say mon none for 1h; wait 3h; on ends accepted applied; is sun=none; end; most 1
    is superseded by a new one that comes while it cannot come back
      say mon none for 1h; fate refused; wait 3481s; say mon 01:00-02:00 normal for 5h; wait 4h; is mon=A; wait 2h; is
    comes back once, also where it is asked for at its very instant
      with postMs=3000 lagMs=10000; say mon none for 1h; wait 58m; until now; wait 10m; posts 2; is
    that was undone by hand has nothing to bring back :: say mon none for 1h; undo applied; wait 3h; is; posts 2; end
  `),
)('a week that ends by itself %s', async (_, ...steps) => void (await tell(...steps)));

test('a week that ends by itself is a conflict where one of its days was changed elsewhere', async () => {
  const world = await tell('say mon,tue none for 3h; app tue=A; wait 4h; is mon=none tue=A; posts 1; end');
  expect(onEnds(world)).toMatchObject([{ status: 'rejected', code: 'conflict', message: expect.stringMatching(/^tue was changed/) }]);
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
  fc.record({ do: fc.constant('fail' as const), fate: fc.constantFrom<Fate>('refused', 'lost', 'vanished') }),
);

test('however many ends, restarts and failures there are, all is as it was in the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.constantFrom(0, 8000), async (steps, lagMs) => {
      const world = await begin({ lagMs, postMs: 500 });
      const ids: number[] = [];
      for (const one of steps) {
        if (one.do === 'write') ids.push(world.write('set', `${one.days} ${one.entries} for ${one.minutes}m`));
        else if (one.do === 'pass') await world.clock.pass(one.minutes * MINUTE);
        else if (one.do === 'now') ids.push(world.write('until/set', 'now'));
        else if (one.do === 'fail') world.platform.fates.push(one.fate);
        else await world.restart();
        await world.clock.pass(2 * MINUTE);
      }
      await world.clock.pass(300 * MINUTE);
      expect(world.platform.week).toEqual(WEEK);
      expect(untilOf(world)).toBeUndefined();
      expect(world.platform.most).toBeLessThan(2);
      for (const id of ids) expect(world.end(id)).toMatch(/^[a-z_ ]+$/);
      await world.stop();
    }),
    { numRuns: IS_LONG ? 60 : 6 },
  );
});
