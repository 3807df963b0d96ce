import { describe, expect, it } from 'vitest';
import type { Feature, Json } from '../../../src/features/feature.ts';
import { readProfile } from '../../../src/schedule/profile.ts';
import { weekOf } from '../../../src/schedule/week.ts';
import { revision } from '../../../src/topics/recordPayload.ts';
import { type OverviewParts, overviewMessages, shownAnswer } from '../../../src/topics/scheduleOverview.ts';
import { featureOf, WEEK } from '../../support/devices/features.ts';
import { commandOf } from '../../support/schedules/commands.ts';

const CONSTRAINTS = { modes: ['normal', 'comfort'], maxEntries: 4, resolution: 10, overlapAllowed: false, defaultMode: 'reduced' };
const NONE: OverviewParts = { profiles: [], mayRun: () => true, zone: undefined, until: undefined, contested: [], answers: [] };

const scheduleOf = (value: Json, isExecutable = true): Feature =>
  featureOf(
    'heating.dhw.schedule',
    { active: { value: true }, entries: { type: 'Schedule', value } },
    { commands: new Map([commandOf('setSchedule', { newSchedule: ['Schedule', CONSTRAINTS] }, isExecutable)]) },
  );

const overviewOf = (feature: Feature, parts: Partial<OverviewParts> = {}): unknown => {
  const [message] = overviewMessages('b', 'home', feature, { ...NONE, ...parts });
  return message && JSON.parse(message.payload);
};

describe('the overview of a schedule', () => {
  it('is none for a feature without a schedule, whatever its properties are called', () => {
    expect(overviewMessages('b', 'home', featureOf('heating.dhw', { '': { type: 'object', value: {} } }), NONE)).toEqual([]);
  });

  it('has its week, what may be written, and nothing that is not there', () => {
    const feature = scheduleOf(WEEK);
    expect(overviewMessages('b', 'home', feature, NONE)).toMatchObject([{ topic: 'b/home/heating/dhw/schedule/overview', retain: true }]);
    const values = { entries: WEEK, constraints: CONSTRAINTS, rev: revision(feature) };
    expect(overviewOf(feature)).toEqual({ ...values, writable: true, active: true });
  });

  it('has the zone, the end of a temporary write and the answers where there are any', () => {
    const answer = { id: 'a', status: 'rejected', code: 'conflict', message: 'm', at: '2026-11-21T06:00:00.000Z' } as const;
    const zone = 'Europe/Berlin';
    const until = '2026-11-21T22:00:00+01:00';
    expect(overviewOf(scheduleOf(WEEK), { zone, until, answers: [answer] })).toMatchObject({ zone, until, answers: [answer] });
  });

  it('is not writable where the heating does not take it now, or the settings forbid it', () => {
    expect(overviewOf(scheduleOf(WEEK, false))).toMatchObject({ writable: false });
    const asked: string[] = [];
    const mayRun = (...names: readonly string[]): boolean => asked.push(names.join(' ')) < 0;
    expect(overviewOf(scheduleOf(WEEK), { mayRun })).toMatchObject({ writable: false });
    expect(asked).toEqual(['heating.dhw.schedule setSchedule']);
    expect(overviewOf(featureOf('a.b', { entries: { type: 'Schedule', value: WEEK } }))).toMatchObject({
      writable: false,
      constraints: {},
    });
  });

  it('has the weeks of the profiles that fit, as text', () => {
    const profiles = [
      readProfile('summer', 'daily none'),
      readProfile('party', 'sat 10:00-24:00 party'),
      readProfile('winter', { mon: [{ start: '06:00', end: '22:00', mode: 'comfort' }] }),
    ];
    expect(overviewOf(scheduleOf(WEEK), { profiles })).toMatchObject({
      profiles: { summer: 'mon-sun none', winter: 'mon 06:00-22:00 comfort' },
    });
    expect(overviewOf(scheduleOf(WEEK), { profiles })).not.toHaveProperty('profiles.party');
  });

  it('stays below what the recorder of Home Assistant takes', () => {
    const day = Array.from({ length: 20 }, (_, position) => ({
      start: `${String(position).padStart(2, '0')}:00`,
      end: `${String(position).padStart(2, '0')}:50`,
      mode: 'comfort',
      position,
    }));
    const week = weekOf(() => day);
    const profiles = Array.from({ length: 60 }, (_, index) => readProfile(`profile ${index}`, 'mon-fri 06:00-22:00 normal; sat-sun none'));
    const error = { path: '/value/mon/1/end', rule: 'resolution', message: 'x'.repeat(120), got: '06:05', allowed: 10, nearest: ['06:00'] };
    const refused = {
      status: 'rejected' as const,
      code: 'invalid',
      message: 'y'.repeat(5000),
      errors: Array.from({ length: 50 }, () => error),
    };
    const answers = Array.from({ length: 4 }, (_, id) => shownAnswer({ id, ...refused, at: '2026-11-21T06:00:00.000Z' }));
    const [message] = overviewMessages('b', 'home', scheduleOf(week), { ...NONE, profiles, answers });
    expect(Buffer.byteLength(message?.payload ?? '')).toBeLessThan(16_000);
  });

  it('cuts what people have written, wherever an answer repeats it', () => {
    const long = 'x'.repeat(100_000);
    const error = { path: `/${long}`, rule: 'unknown', message: `there is no day ${long}` };
    const answer = { id: 1, status: 'rejected' as const, message: long, errors: [error], at: '2026-11-21T06:00:00.000Z' };
    const [message] = overviewMessages('b', 'home', scheduleOf(WEEK), { ...NONE, answers: [shownAnswer(answer)] });
    expect(message?.payload.length).toBeLessThan(2000);
    expect(JSON.parse(message?.payload ?? '').answers[0].errors[0].rule).toBe('unknown');
  });

  it('is none without a readable week', () => {
    expect(overviewOf(scheduleOf('no week'))).toBeUndefined();
    expect(overviewOf(featureOf('a.b', { value: { value: 1 } }))).toBeUndefined();
  });
});
