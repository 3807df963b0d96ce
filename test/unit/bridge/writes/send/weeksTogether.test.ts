import { expect, test } from 'vitest';
import { A, B, begin, sentBy, tell } from '../../../../support/schedules/weekStory.ts';
import { DAY_NAMES, daily, day } from '../../../../support/schedules/weeks.ts';
import { storiesIn } from '../../../../support/story.ts';

test.each(
  storiesIn(`
    wait for half a second of silence, counted from the last
      put a mon=A; wait 499ms; put b tue=B; wait 499ms; sent; wait 1ms; sent mon=A tue=B
    wait two seconds at most, however many come
      put a mon=A; wait 400ms; put b mon=B; wait 400ms; put c mon=A; wait 400ms; put d mon=B; wait 400ms; put e mon=C
      wait 400ms; sent mon=C
    a later one for the same day supersedes, and the answer names what was sent of the earlier
      put both mon,tue=A; put first wed=A; put tue tue=B; put wed wed=C; wait; sent mon=A tue=B wed=C
      ends both=superseded first=superseded tue=applied wed=applied; kept both mon; kept first
    one that says the same once more supersedes nothing :: put a mon=A; put b mon=A; wait; ends a=applied b=applied; posts 1
    one that breaks a rule is refused at once, alone
      put good mon=A; put bad tue=odd; torn torn; wait 1ms; ends good= bad=rejected/invalid torn=rejected/invalid
      wait; ends good=applied; sent mon=A
    one that changes nothing is unchanged, beside others that do
      put same mon=was; put other tue=A; wait; ends same=unchanged other=applied; changed other tue
    there and back again sends nothing :: put there mon=A; put back mon=was; wait; ends there=superseded back=unchanged; sent
    share a refusal of the platform, also those of which a part was overwritten
      fate refused; put a mon,tue=A; put b tue=B; put c wed=A; wait
      ends a=failed/validation b=failed/validation c=failed/validation; shows
    share what was found out of a lost answer :: fate lost; put a mon,tue=A; put b tue=B; wait; ends a=superseded b=applied; kept a mon
    count as one command of the hour
      with per_hour=1; put a mon=A; put b tue=A; wait; ends a=applied b=applied; put late mon=B; wait 1ms; ends late=rejected/too_often
    are answered by a stop, unsent :: put a mon=A; put b tue=A; stop; ends a=failed/stopping b=failed/stopping; sent
    a whole week goes at once, and supersedes those that wait
      put mon mon=A; put tue tue=B; put whole all=B; wait 1ms; sent all=B
      wait; ends mon=superseded tue=applied whole=applied; kept mon
    a whole week that breaks a rule supersedes nothing :: put mon mon=A; put whole all=odd; wait; ends mon=applied whole=rejected/invalid
    one that comes while one is on its way is merged with what will be, though the platform does not show it yet
      with lagMs=20000 postMs=3000; put mon mon=A; wait 1s; posts 1; put tue tue=B; wait; sent mon=A | mon=A tue=B
      ends mon=applied tue=applied; most 1
    one that comes while one is on its way goes together with all that come before its turn
      with postMs=10000; put a mon=A; wait 1s; put b tue=B; wait 2500ms; put c wed=B; wait 2500ms; put d thu=B; wait
      sent mon=A | mon=A tue=B wed=B thu=B
    days that are not named are the newest that the platform has, where the record is older than a minute
      wait 61s; app sun=C; put mon mon=A; wait; sent mon=A sun=C; ends mon=applied
    days that are not named are those of the app while a write waits for its confirmation, as are those that it changed again
      put a mon=A; wait 1s; app mon,sun=C; wait 20s; shows mon,sun=C; put b tue=B; wait; is mon=C tue=B sun=C
    days that are not named are not shown as they were, over what a read shows of them
      with lagMs=0; fate adapted; put mon mon=A; wait; ends mon=applied; shows mon=A sun=none
    days that are not named are those that a reset has made, however late the platform showed it
      with lagMs=20000; write mon,tue=A; reset; wait 25s; put wed wed=B; wait; ends wed=applied; is wed=B
    days that are not named wait for what a reset has made
      app sun=C; write mon=A; reset; wait 100ms; put tue tue=B; wait; ends reset=applied tue=applied; is tue=B
  `),
)('parts of a week that come close together: %s', async (_, ...steps) => void (await tell(...steps)));

test('parts of a week become one command, with one answer each that names its own days', async () => {
  const world = await begin();
  const ids = DAY_NAMES.map((name) => world.write(`${name}/set`, A));
  await world.clock.pass(120_000);
  expect(sentBy(world)).toEqual([daily('01:00-02:00 normal')]);
  for (const [index, id] of ids.entries()) {
    const [accepted, applied, ...more] = world.answers(id);
    expect([accepted?.status, applied?.status, more]).toEqual(['accepted', 'applied', []]);
    expect(applied).toMatchObject({ changed: [DAY_NAMES[index]], topic: expect.stringContaining(`/${DAY_NAMES[index]}/set`) });
  }
});

test('a write with if_rev goes alone, and is judged when its turn comes', async () => {
  const world = await begin();
  const mon = world.write('mon/set', A);
  const guarded = world.write('tue/set', B, { if_rev: world.rev() });
  const wed = world.write('wed/set', day('05:00-06:00 normal'));
  await world.clock.pass(120_000);
  expect([mon, guarded, wed].map((id) => world.end(id))).toEqual(['applied', 'rejected conflict', 'applied']);
  const fine = world.write('tue/set', B, { if_rev: world.rev() });
  await world.clock.pass(1);
  expect(sentBy(world).at(-1)).toEqual({ mon: A, tue: B, wed: day('05:00-06:00 normal') });
  await world.clock.pass(120_000);
  expect(world.end(fine)).toBe('applied');
});

test('a check is answered, and never goes together with the writes beside it', async () => {
  const world = await begin();
  const mon = world.write('mon/set', A);
  const checked = world.write('validate', { tue: B });
  await world.clock.pass(120_000);
  expect([mon, checked].map((id) => world.end(id))).toEqual(['applied', 'valid']);
  expect(sentBy(world)).toEqual([{ mon: A }]);
});
