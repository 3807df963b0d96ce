import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { instantOfStart, STARTS, startOfTheDay } from '../../../scripts/clock.ts';
import { nextTransition } from '../../../src/schedule/zone.ts';
import { sameClock } from '../../support/time/sameClock.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describe('the clocks of npm run test:clock', () => {
  test('are eight hours in two zones, and both changes of a clock', () => {
    const hours = new Map<string, Set<string>>();
    for (const { zone, local } of STARTS) hours.set(zone, (hours.get(zone) ?? new Set()).add(local.slice(11, 13)));
    expect([...hours.values()].filter(({ size }) => size >= 8)).toHaveLength(2);
    expect(new Set(STARTS.map(instantOfStart)).size).toBe(STARTS.length);
    const changed = STARTS.map((start) => {
      const at = instantOfStart(start);
      const next = nextTransition(at, start.zone) ?? Number.POSITIVE_INFINITY;
      return next - at > 5 * MINUTE_MS ? undefined : new Date(next).toISOString();
    });
    expect(changed.filter((at) => at !== undefined)).toEqual(['2027-03-28T01:00:00.000Z', '2027-10-31T01:00:00.000Z']);
  });

  test('have their turn one a day, until each has had it', () => {
    const days = Array.from({ length: STARTS.length }, (_, day) => startOfTheDay(Date.parse('2026-11-22T23:59:59Z') + day * DAY_MS));
    expect(new Set(days).size).toBe(STARTS.length);
    expect(startOfTheDay(Date.parse('2026-11-22T00:00:00Z'))).toBe(days[0]);
  });
});

test('a process that a test starts has the clock and the zone of the test', () => {
  const script = 'console.log(JSON.stringify([Date.now(), new Date(0).getTimezoneOffset(), new Date().getTimezoneOffset()]))';
  const [now, ...offsets]: number[] = JSON.parse(execFileSync(process.execPath, ['-e', script], { env: sameClock(), encoding: 'utf8' }));
  expect(Math.abs((now ?? 0) - Date.now())).toBeLessThan(MINUTE_MS);
  expect(offsets).toEqual([new Date(0).getTimezoneOffset(), new Date().getTimezoneOffset()]);
});

/** What makes a test depend on the hour at which it runs, or leaves the clock of a test behind. */
const MISTAKES: readonly (readonly [mistake: RegExp, instead: string])[] = [
  [/\benv: \{ PATH\b/u, 'an environment without the clock: take sameClock()'],
  [/command: 'live', on: false/u, 'a home that stops as it is at this hour: take stillHome'],
];

test('no test begins with the hour of the day', () => {
  const found = globSync('test/**/*.ts').flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return MISTAKES.flatMap(([mistake, instead]) =>
      mistake.test(text) && !file.endsWith('scripts/clock.test.ts') ? [`${file}: ${instead}`] : [],
    );
  });
  expect(found).toEqual([]);
});
