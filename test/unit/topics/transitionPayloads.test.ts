import { describe, expect, test } from 'vitest';
import type { Feature } from '../../../src/features/feature.ts';
import { weekOf } from '../../../src/schedule/week.ts';
import { featureState } from '../../../src/topics/featureState.ts';
import { momentMessages, momentsOf } from '../../../src/topics/transitionPayloads.ts';
import { CONSTRAINTS, commandOf, scheduleOf } from '../../support/schedules/commands.ts';

const MONDAY_NOON = Date.parse('2026-11-23T11:00:00Z');
const BERLIN = 'Europe/Berlin';
const WEEK = weekOf((day) => (day === 'mon' ? [{ start: '08:00', end: '14:00', mode: 'normal', position: 0 }] : []));
const TUESDAY_MS = MONDAY_NOON + 86_400_000;

const said = (feature: Feature, atMs: number): Readonly<Record<string, string>> => {
  const moments = momentsOf(feature, 'entries', atMs, BERLIN);
  const messages = moments ? momentMessages('b', 'home', feature.name, moments) : [];
  return Object.fromEntries(messages.map(({ topic, payload }) => [topic.replace('b/home/heating/schedule/', ''), payload]));
};

const withoutDefault = (): Feature => {
  const { defaultMode: _, ...constraints } = CONSTRAINTS;
  return scheduleOf(WEEK, { commands: new Map([commandOf('setSchedule', { newSchedule: ['Schedule', constraints] })]) });
};

describe('what a schedule says of now', () => {
  test('the mode of the entry, and what comes after it', () => {
    expect(said(scheduleOf(WEEK), MONDAY_NOON)).toEqual({ now: 'normal', next: 'reduced', next_at: '2026-11-23T14:00:00+01:00' });
  });
  test('the default mode between the entries', () => {
    expect(said(scheduleOf(WEEK), TUESDAY_MS)).toEqual({ now: 'reduced', next: 'normal', next_at: '2026-11-30T08:00:00+01:00' });
  });
  test('without a default mode nothing between the entries; the end of an entry is still a change', () => {
    expect(said(withoutDefault(), TUESDAY_MS)).toEqual({ next: 'normal', next_at: '2026-11-30T08:00:00+01:00' });
    expect(said(withoutDefault(), MONDAY_NOON)).toEqual({ now: 'normal', next_at: '2026-11-23T14:00:00+01:00' });
  });
  test.each<[string, Feature]>([
    [
      'that is not active',
      scheduleOf(WEEK, { properties: new Map(scheduleOf(WEEK).properties).set('active', { type: 'boolean', value: false }) }),
    ],
    ['without a week', scheduleOf(null)],
    ['whose week makes no sense', scheduleOf({ mon: 5 })],
  ])('nothing of a schedule %s', (_, feature) => {
    expect(said(feature, MONDAY_NOON)).toEqual({});
  });
  test('a schedule that says nothing of being active is', () => {
    const properties = new Map(scheduleOf(WEEK).properties);
    properties.delete('active');
    expect(said(scheduleOf(WEEK, { properties }), MONDAY_NOON)).toMatchObject({ now: 'normal' });
  });
  test('it stands beside the other topics of the feature, retained', () => {
    const feature = scheduleOf(WEEK);
    const bare = featureState('b', 'home', feature).messages;
    const { messages } = featureState('b', 'home', feature, [], momentsOf(feature, 'entries', MONDAY_NOON, BERLIN));
    expect(messages.slice(0, bare.length)).toEqual(bare);
    expect(messages.slice(bare.length).map(({ topic, retain }) => [topic, retain])).toEqual(
      ['now', 'next', 'next_at'].map((leaf) => [`b/home/heating/schedule/${leaf}`, true]),
    );
  });
});
