import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type EditDay, editWeek, printedDay, printedWeek } from '../../../src/editor/model/editWeek.ts';
import { amend, historyOf, redo, step, undo } from '../../../src/editor/model/history.ts';
import { changesOf, fixesOf, placeOf, unfit, weekIssues, withFix } from '../../../src/editor/model/issues.ts';
import { broughtToFront, isCovered, lanesOf } from '../../../src/editor/model/lanes.ts';
import { conflicts, isMine, mergedByDay } from '../../../src/editor/model/merge.ts';
import { joinedAt, movedJoined, withJoined, withOverMidnight } from '../../../src/editor/model/midnight.ts';
import { copyTo, entriesAt, planOf, rowOf, separateDay, withEntries, withEntryOnlyOn } from '../../../src/editor/model/plan.ts';
import { differences } from '../../../src/schedule/versions/dayDifferences.ts';
import { changedDays, DAYS, type Entry, sameDay, type Week, weekOf } from '../../../src/schedule/week.ts';
import { runs } from '../../support/chance.ts';
import { platformDay, platformWeek } from '../../support/schedules/arbitraryWeeks.ts';
import { day } from '../../support/schedules/weeks.ts';

const NORMAL = day('06:00-22:00 normal');
const COMFORT = day('07:00-23:00 comfort');
const usual: Week = weekOf((one) => (one === 'sat' || one === 'sun' ? COMFORT : NORMAL));

describe('any week that a platform can show', () => {
  test('comes out of the editor as it went in', () => {
    fc.assert(
      fc.property(platformWeek, (week) => {
        expect(printedWeek(editWeek(week), week)).toEqual(week);
        expect(weekIssues(week, printedWeek(editWeek(week), week), { resolution: 10, modes: ['x'] })).toEqual([]);
      }),
      { numRuns: runs(1000) },
    );
  });

  test('has each day in one row, with equal days only', () => {
    fc.assert(
      fc.property(platformWeek, (week) => {
        const { rows } = planOf(editWeek(week));
        expect(rows.flat().toSorted()).toEqual([...DAYS].toSorted());
        for (const row of rows) for (const one of row) expect(sameDay(week[one], week[row[0] ?? 'mon'])).toBe(true);
      }),
      { numRuns: runs(500) },
    );
  });

  test('an entry with precedence lies above those that it covers', () => {
    fc.assert(
      fc.property(platformDay, (entries) => {
        const drawn = editWeek(weekOf(() => entries)).mon;
        const { lanes, count } = lanesOf(drawn);
        for (const [low, a] of drawn.entries()) {
          expect(lanes[low]).toBeLessThan(count);
          for (const [high, b] of drawn.entries()) {
            if (high > low && a.start < a.end && b.start < b.end && a.start < b.end && b.start < a.end)
              expect(lanes[high]).toBeGreaterThan(lanes[low] ?? 0);
          }
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test('a merge by day has each change, and mine where both changed', () => {
    fc.assert(
      fc.property(platformWeek, platformWeek, platformWeek, (base, mine, theirs) => {
        const merged = mergedByDay(base, mine, theirs);
        for (const one of DAYS) expect(sameDay(merged[one], sameDay(mine[one], base[one]) ? theirs[one] : mine[one])).toBe(true);
        expect(conflicts(base, mine, theirs).every((one) => !sameDay(mine[one], theirs[one]))).toBe(true);
        expect(isMine(base, mine, mine)).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });

  test('the difference of two weeks leads from one to the other', () => {
    fc.assert(
      fc.property(platformWeek, platformWeek, (before, after) => {
        const found = differences(before, after);
        expect(found.flatMap(({ days }) => days).toSorted()).toEqual([...changedDays(before, after)].toSorted());
        const texts = (entries: readonly Entry[]): string[] => entries.map(({ start, end, mode }) => `${start} ${end} ${mode}`).toSorted();
        for (const { days, removed, added, kept } of found) {
          for (const one of days) {
            expect(texts([...kept, ...added])).toEqual(texts(after[one]));
            expect(texts([...kept, ...removed])).toEqual(texts(before[one]));
          }
        }
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('rows', () => {
  const plan = planOf(editWeek(usual));

  test('are days that are equal', () => {
    expect(plan.rows).toEqual([
      ['mon', 'tue', 'wed', 'thu', 'fri'],
      ['sat', 'sun'],
    ]);
  });

  test('a day is taken out, and changes alone from then on', () => {
    const out = separateDay(plan, 'wed');
    expect(out.rows).toEqual([['mon', 'tue', 'thu', 'fri'], ['wed'], ['sat', 'sun']]);
    const changed = withEntries(out, 'wed', []);
    expect(changedDays(usual, printedWeek(changed.week, usual))).toEqual(['wed']);
    expect(changedDays(usual, printedWeek(withEntries(out, 'thu', []).week, usual))).toEqual(['mon', 'tue', 'thu', 'fri']);
  });

  test('an entry that was added or changed is on the one day alone, where it is all that differs', () => {
    const saved = plan.week;
    const onSat = (days: EditDay, index: number, from = plan) =>
      changedDays(usual, printedWeek(withEntryOnlyOn(withEntries(from, 'sat', days), 'sat', index, saved).week, usual));
    const added = { start: 0, end: 60, mode: 'comfort' };
    expect(onSat([...saved.sat, added], saved.sat.length)).toEqual(['sat']);
    expect(onSat([added, ...saved.sat.slice(1)], 0)).toEqual(['sat']);
    expect(onSat([added, ...saved.sat], saved.sat.length)).toEqual(['sat', 'sun']);
    expect(onSat([...saved.sat, added, added], saved.sat.length)).toEqual(['sat', 'sun']);
  });

  test('copied to a day: it has the same entries and joins the row', () => {
    const copied = copyTo(plan, 'mon', ['sun']);
    expect(copied.rows).toEqual([['mon', 'tue', 'wed', 'thu', 'fri', 'sun'], ['sat']]);
    expect(printedDay(copied.week.sun)).toEqual(NORMAL);
    expect(copyTo(copied, 'sat', ['mon', 'sun']).rows).toEqual([
      ['mon', 'sat', 'sun'],
      ['tue', 'wed', 'thu', 'fri'],
    ]);
    expect(rowOf(copied, 'sun')).toBe(copied.rows[0]);
  });
});

describe('over midnight', () => {
  test('an entry becomes two, the second on the days after', () => {
    const plan = planOf(editWeek(weekOf((one) => (one === 'fri' || one === 'sat' ? day('22:00-23:00 normal') : []))));
    const split = withOverMidnight(plan, 'fri', 0, 90);
    const week = printedWeek(split.week, usual);
    expect([week.fri, week.sat, week.sun, week.mon]).toEqual([
      day('22:00-24:00 normal'),
      day('22:00-24:00 normal, 00:00-01:30 normal'),
      day('00:00-01:30 normal'),
      [],
    ]);
    const entry = (start: number, end: number, mode = 'normal') => ({ start, end, mode });
    expect(joinedAt(split, 'fri', entry(1320, 1440))).toEqual({ days: ['fri'], start: 1320, end: 90, mode: 'normal' });
    expect(joinedAt(split, 'sun', entry(0, 90))).toEqual({ days: ['sat'], start: 1320, end: 90, mode: 'normal' });
    expect(joinedAt(split, 'fri', entry(1320, 1440, 'comfort'))).toBeUndefined();
    expect(joinedAt(split, 'fri', entry(0, 90))).toBeUndefined();
    expect(joinedAt(split, 'fri', entry(600, 700))).toBeUndefined();
  });

  test.each([
    [-30, '21:30-24:00 normal', '00:00-01:00 normal'],
    [35, '22:40-24:00 normal', '00:00-02:10 normal'],
    // Each part stays, and stops at its neighbours.
    [-400, '20:40-24:00 normal', '00:00-00:10 normal'],
    [400, '23:00-24:00 normal', '00:00-02:30 normal'],
  ])('moved by %i minutes both parts move', (by, late, early) => {
    const before = weekOf((one) => {
      if (one === 'fri') return day('18:00-20:00 normal, 22:00-24:00 normal');
      return one === 'sat' ? day('00:00-01:30 normal, 02:30-04:00 normal') : [];
    });
    const plan = planOf(editWeek(before));
    const joined = joinedAt(plan, 'fri', { start: 1320, end: 1440, mode: 'normal' });
    const after = joined && withJoined(plan, joined, movedJoined(plan, joined, by, { resolution: 10 }));
    const week = after && printedWeek(after.week, before);
    expect([week?.fri[1], week?.sat[0]]).toEqual([{ ...day(late)[0], position: 1 }, day(early)[0]]);
  });
});

test('to the front: the highest position, and not covered any more', () => {
  const entries = editWeek(weekOf(() => day('06:00-12:00 normal, 08:00-20:00 comfort'))).mon;
  expect([isCovered(entries, 0), isCovered(entries, 1)]).toEqual([true, false]);
  expect(printedDay(broughtToFront(entries, 0))).toEqual(day('08:00-20:00 comfort, 06:00-12:00 normal'));
});

describe('issues', () => {
  test.each([
    ['/mon/1/end', { day: 'mon', index: 1, part: 'end' }],
    ['/value/sun/0/mode', { day: 'sun', index: 0, part: 'mode' }],
    ['/newSchedule/tue', { day: 'tue' }],
    ['/value', undefined],
    ['1:5', undefined],
  ])('%s', (path, place) => expect(placeOf({ path })).toEqual(place));

  test('are those of the bridge, with a value that mends them', () => {
    const plan = planOf(editWeek(usual));
    const odd = withEntries(plan, 'mon', [{ start: 367, end: 480, mode: 'norml' }]);
    const after = printedWeek(odd.week, usual);
    const issues = weekIssues(usual, after, { resolution: 10, modes: ['normal'] });
    expect(issues.slice(0, 2).map(({ path, rule }) => `${path} ${rule}`)).toEqual(['/mon/0/start resolution', '/mon/0/mode mode']);
    expect(issues.slice(0, 2).map(fixesOf)).toEqual([['06:00', '06:10'], ['normal']]);
    const place = placeOf({ path: '/mon/0/start' });
    expect(place && withFix(entriesAt(odd, 'mon'), place, '06:10')).toEqual([{ start: 370, end: 480, mode: 'norml' }]);
    expect(changesOf(usual, usual)).toEqual({});
    expect(unfit({ mon: NORMAL }, { modes: ['on'] }).map(({ rule }) => rule)).toEqual(['mode']);
  });
});

test('steps are undone and done again; a new one ends what was undone', () => {
  const three = step(step(historyOf(1), 2), 3);
  expect(undo(three).present).toBe(2);
  expect(redo(undo(three))).toEqual(three);
  expect(step(undo(three), 4).future).toEqual([]);
  expect(undo(amend(three, 5)).present).toBe(2);
  expect([undo(historyOf(1)).present, redo(historyOf(1)).present]).toEqual([1, 1]);
});
