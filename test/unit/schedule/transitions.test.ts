import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { modeAt, nextChange } from '../../../src/schedule/transitions.ts';
import { DAYS, type Day, type Week, weekOf } from '../../../src/schedule/week.ts';
import { IS_LONG, runs } from '../../support/chance.ts';
import { MINUTE_MS, slowMode, slowNext, wall } from '../../support/schedules/slowWeek.ts';
import { day } from '../../support/schedules/weeks.ts';

const at = (text: string): number => Date.parse(text);
const BERLIN = 'Europe/Berlin';

const week = (all: string, own: Partial<Record<Day, string>> = {}): Week => weekOf((name) => day(own[name] ?? all));

describe('now', () => {
  const plain = week('06:00-08:00 normal, 17:00-24:00 comfort', { sun: '' });
  test.each([
    ['2026-11-23T04:59:59.999Z', 'reduced'],
    ['2026-11-23T05:00:00Z', 'normal'],
    ['2026-11-23T06:59:59Z', 'normal'],
    ['2026-11-23T07:00:00Z', 'reduced'],
    ['2026-11-23T22:59:59Z', 'comfort'],
    ['2026-11-22T05:30:00Z', 'reduced'],
  ])('%s: an entry holds from its start to just before its end', (instant, mode) => {
    expect(modeAt(plain, 'reduced', at(instant), BERLIN)).toBe(mode);
  });

  test('where entries overlap, the highest position wins, whatever the order in the list', () => {
    const overlapping = weekOf(() => [
      { start: '10:00', end: '11:00', mode: 'second', position: 7 },
      { start: '06:00', end: '22:00', mode: 'first', position: 2 },
    ]);
    expect(modeAt(overlapping, 'off', at('2026-11-23T10:30:00Z'), 'UTC')).toBe('second');
    expect(modeAt(overlapping, 'off', at('2026-11-23T11:00:00Z'), 'UTC')).toBe('first');
  });

  test('without a default mode nothing is asked for between the entries', () => {
    expect(modeAt(plain, undefined, at('2026-11-22T05:30:00Z'), BERLIN)).toBeUndefined();
    expect(nextChange(plain, undefined, at('2026-11-23T06:00:00Z'), BERLIN)).toEqual({ mode: undefined, atMs: at('2026-11-23T07:00:00Z') });
  });

  test('an entry with times that make no sense asks for nothing', () => {
    expect(modeAt(week('25:00-26:00 a, 12:00-10:00 b'), 'off', at('2026-11-23T11:00:00Z'), 'UTC')).toBe('off');
    expect(nextChange(week('xx-yy a, 12:00-10:00 b'), 'off', at('2026-11-23T11:00:00Z'), 'UTC')).toBeUndefined();
  });
});

describe('the next change', () => {
  const SUNDAY_NIGHT = week('', { sun: '02:10-02:50 normal' });
  test.each<[name: string, week: Week, from: string, next: readonly [mode: string, at: string] | undefined]>([
    ['within the day', week('06:00-08:00 normal'), '11-23T05:00', ['reduced', '11-23T07:00']],
    ['tomorrow', week('06:00-08:00 normal'), '11-23T07:00', ['normal', '11-24T05:00']],
    ['in a week', week('', { mon: '06:00-08:00 normal' }), '11-23T07:00', ['normal', '11-30T05:00']],
    ['not at 24:00 where the next day goes on', week('00:00-06:00 a, 22:00-24:00 a'), '11-23T22:00', ['reduced', '11-24T05:00']],
    ['not where entries of one mode touch', week('06:00-08:00 a, 08:00-10:00 a'), '11-23T05:00', ['reduced', '11-23T09:00']],
    ['never in an empty week', week(''), '11-23T05:00', undefined],
    ['never in a full week', week('00:00-24:00 normal'), '11-23T05:00', undefined],
    ['never where 00:00 is the end of the day', week('00:00-00:00 normal'), '11-23T05:00', undefined],
    ['never where all entries ask for the default mode', week('06:00-08:00 reduced'), '11-23T05:00', undefined],
    ['never where an entry hides below another', week('06:00-08:00 normal, 00:00-24:00 comfort'), '11-23T05:00', undefined],
    ['after the skipped hour, where an entry begins in it', week('02:30-06:00 normal'), '03-28T23:30', ['normal', '03-29T01:00']],
    ['a week later, where the whole entry is skipped', SUNDAY_NIGHT, '03-28T23:30', ['normal', '04-05T00:10']],
    ['a second time in the repeated hour', week('02:10-02:50 normal'), '10-25T00:50', ['normal', '10-25T01:10']],
    ['at the clock change itself', week('00:00-02:30 normal'), '10-25T00:30', ['normal', '10-25T01:00']],
  ])('comes %s', (_, plan, from, next) => {
    const change = nextChange(plan, 'reduced', at(`2026-${from}:00Z`), BERLIN);
    expect(change).toEqual(next && { mode: next[0], atMs: at(`2026-${next[1]}:00Z`) });
  });
});

const WEEK_MS = 7 * 86_400_000;
const WEEKDAYS: readonly string[] = DAYS;

/** Minutes that the clock on the wall is ahead of UTC, from what it shows. */
const offsetOf = (ms: number, zone: string): number => {
  const minuteOfWeek = ({ weekday, time }: ReturnType<typeof wall>): number =>
    WEEKDAYS.indexOf(weekday) * 1440 + Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
  const ahead = minuteOfWeek(wall(ms, zone)) - minuteOfWeek(wall(ms, 'UTC'));
  return ((ahead + 5040 + 10_080) % 10_080) - 5040;
};

const LAST_YEAR = IS_LONG ? 2035 : 2027;

/** Every change of the clock from 2025 on, found by looking at each week and halving. */
const transitionsOf = (zone: string): number[] => {
  const found: number[] = [];
  for (let ms = at('2025-01-01T00:00:00Z'); ms < at(`${LAST_YEAR + 1}-01-01T00:00:00Z`); ms += WEEK_MS) {
    let [before, after] = [ms, ms + WEEK_MS];
    if (offsetOf(before, zone) === offsetOf(after, zone)) continue;
    while (after - before > MINUTE_MS) {
      const middle = before + Math.floor((after - before) / 2 / MINUTE_MS) * MINUTE_MS;
      if (offsetOf(middle, zone) === offsetOf(before, zone)) before = middle;
      else after = middle;
    }
    found.push(after);
  }
  return found;
};

const ZONES: readonly (readonly [zone: string, changesClock: boolean])[] = [
  ['Europe/Berlin', true],
  ['Europe/London', true],
  ['Europe/Dublin', true],
  ['Atlantic/Azores', true],
  ['America/New_York', true],
  ['America/St_Johns', true],
  ['America/Santiago', true],
  ['America/Sao_Paulo', false],
  ['Australia/Sydney', true],
  ['Australia/Lord_Howe', true],
  ['Pacific/Chatham', true],
  ['Africa/Cairo', true],
  ['Africa/Casablanca', true],
  ['Asia/Beirut', true],
  ['Asia/Tehran', false],
  ['Asia/Kolkata', false],
  ['Pacific/Apia', false],
];

// Entries that begin, end, touch and overlap around every hour at which clocks are changed; modes by turns, so that each edge counts.
const BUSY = weekOf((name) => {
  const shift = DAYS.indexOf(name) % 3;
  return [
    { start: '00:00', end: '00:20', mode: 'a', position: 0 },
    { start: '00:30', end: '01:40', mode: 'b', position: 1 },
    { start: '01:10', end: '01:20', mode: 'c', position: 4 + shift },
    { start: '02:10', end: '02:50', mode: 'a', position: 2 },
    { start: '02:45', end: '03:15', mode: 'b', position: 3 },
    { start: `0${3 + shift}:30`, end: '06:00', mode: 'c', position: 8 },
    { start: '22:30', end: '23:20', mode: 'a', position: 9 },
    { start: '23:30', end: '24:00', mode: 'a', position: 10 },
  ];
});

describe('against a walk minute by minute', () => {
  test.each(ZONES)('%s: every change of the clock of years', (zone, changesClock) => {
    const changes = transitionsOf(zone);
    expect(changes.length > 0).toBe(changesClock);
    for (const change of changesClock ? changes : [at('2027-06-06T00:00:00Z')]) {
      const [from, to] = [change - 5 * 3_600_000, change + 5 * 3_600_000];
      let walked = slowMode(BUSY, 'default', from, zone);
      let expected = nextChange(BUSY, 'default', from, zone);
      for (let ms = from; ms <= to; ms += MINUTE_MS) {
        const mode = slowMode(BUSY, 'default', ms, zone);
        if (modeAt(BUSY, 'default', ms + 59_999, zone) !== mode) throw new Error(`${zone} ${new Date(ms).toISOString()} is ${mode}`);
        if (mode === walked) continue;
        expect(expected, `${zone} ${new Date(ms).toISOString()}`).toEqual({ mode, atMs: ms });
        walked = mode;
        expected = nextChange(BUSY, 'default', ms, zone);
      }
      expect(expected?.atMs).toBeGreaterThan(to);
    }
  });

  const time = fc.integer({ min: 0, max: 1440 });
  const print = (minute: number): string => `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
  const entry = fc
    .tuple(time, time, fc.constantFrom('a', 'b', 'default'))
    .filter(([a, b]) => a !== b)
    .map(([a, b, mode]) => ({ start: print(Math.min(a, b)), end: print(Math.max(a, b)), mode }));
  const entries = fc
    .array(entry, { maxLength: 4 })
    .chain((list) => fc.shuffledSubarray([0, 1, 2, 3].slice(0, list.length), { minLength: list.length }).map((order) => ({ list, order })))
    .map(({ list, order }) => list.map((one, index) => ({ ...one, position: order[index] ?? index })));
  const weeks = fc
    .record({ mon: entries, tue: entries, wed: entries, thu: entries, fri: entries, sat: entries, sun: entries })
    .map((days): Week => days);

  test('any week, at any moment near any change of the clock', () => {
    const nights = ZONES.flatMap(([zone]) =>
      transitionsOf(zone)
        .slice(0, 3)
        .map((ms) => ({ zone, ms })),
    );
    fc.assert(
      fc.property(weeks, fc.constantFrom(...nights), fc.integer({ min: -180, max: 180 }), (plan, { zone, ms }, minutes) => {
        const from = ms + minutes * MINUTE_MS + 1234;
        const quick = nextChange(plan, 'default', from, zone);
        expect(modeAt(plan, 'default', from, zone)).toBe(slowMode(plan, 'default', from, zone));
        // As far as a test has time to walk; a change that comes later must not show on the way.
        const until = Math.min(quick?.atMs ?? Number.POSITIVE_INFINITY, from + 30 * 3_600_000);
        expect(slowNext(plan, 'default', from, until, zone)).toEqual(quick && quick.atMs <= until ? quick : undefined);
      }),
      { numRuns: runs(300) },
    );
  });
});
