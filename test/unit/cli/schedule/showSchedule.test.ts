import { describe, expect, it } from 'vitest';
import type { RetainedSchedule } from '../../../../src/cli/schedule/retainedSchedules.ts';
import { drawSchedule, profileLines } from '../../../../src/cli/schedule/showSchedule.ts';
import { weekOf } from '../../../../src/schedule/week.ts';
import { day } from '../../../support/schedules/weeks.ts';

const FOUND: RetainedSchedule = {
  device: 'home',
  feature: 'heating.dhw.schedule',
  entries: weekOf(() => day('06:00-22:00 normal')),
  constraints: { modes: ['normal'], defaultMode: 'off', resolution: 10, maxEntries: 4 },
  writable: true,
  active: true,
  now: 'normal',
  next: 'off',
  next_at: '2026-11-21T22:00:00+01:00',
  profile: 'custom',
};
const BRIDGE = { isOnline: true, zones: new Map([['home', 'Europe/Berlin']]), profiles: [] };
// A Saturday, 13:30 in Berlin.
const AT = Date.UTC(2026, 10, 21, 12, 30);
const drawn = (more: Partial<RetainedSchedule>): readonly string[] => drawSchedule({ ...FOUND, ...more }, BRIDGE, AT, false);

describe('a schedule that is shown', () => {
  it.each<[more: Partial<RetainedSchedule>, sentence: string]>([
    [{}, 'now normal until 22:00, then off'],
    [{ next_at: '2026-11-23T06:00:00+01:00' }, 'now normal until mon 06:00, then off'],
    [{ profile: 'work' }, 'now normal until 22:00, then off, profile work'],
    [{ until: '2026-11-22T12:00:00+01:00' }, 'now normal until 22:00, then off, this week ends sun 12:00, then the previous week returns'],
  ])('%j says: %s', (more, sentence) => {
    expect(drawn(more).join(' ').replaceAll(/\s+/g, ' ')).toContain(`home heating.dhw.schedule ${sentence}`);
  });

  it('says what is not there', () => {
    const { now: _, next: __, next_at: ___, ...idle } = FOUND;
    expect(drawSchedule({ ...idle, active: false, writable: false }, BRIDGE, AT, false)[1]).toBe(
      'not active: the device does not use it now, cannot be written',
    );
    expect(drawSchedule(idle, BRIDGE, AT, false)[1]).toBe('the current and the next mode are unknown');
  });

  it('has its now-mark by the clock of its place, and none where that is not known', () => {
    expect(drawn({})[2]).toBe(`     ${' '.repeat(27)}V`);
    expect(drawn({}).filter((line) => line.startsWith('>'))).toEqual([`>sat ${'.'.repeat(12)}${'n'.repeat(32)}....`]);
    expect(drawSchedule(FOUND, { ...BRIDGE, zones: new Map() }, AT, false).join('\n')).not.toMatch(/V|^>/m);
  });

  it('shows names whole, so that they can be copied', () => {
    const device = 'home'.repeat(40);
    expect(drawn({ device })[0]).toBe(`${device} ${FOUND.feature}`);
  });
});

describe('profiles', () => {
  it('are named as missing where there are none', () => {
    expect(profileLines([])).toEqual(['The bridge has no profiles: the setting schedules.profiles is empty.']);
  });
});
