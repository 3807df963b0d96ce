import { describe, expect, it } from 'vitest';
import type { HassState } from '../../../src/card/hass.ts';
import { overviewOf, weekEntities } from '../../../src/card/overview.ts';
import { readProfile } from '../../../src/schedule/profile.ts';
import { overviewMessages } from '../../../src/topics/scheduleOverview.ts';
import { fixtureDevice } from '../../support/devices/deviceFiles.ts';

const [feature] = fixtureDevice('boiler').filter(({ name }) => name === 'heating.circuits.0.heating.schedule');

/** An entity with the attributes that the bridge publishes. */
const given = (id = 'text.home_week'): HassState => {
  if (!feature) throw new Error('the boiler has no schedule');
  const [message] = overviewMessages('b', 'home', feature, {
    profiles: [readProfile('summer', 'daily none'), readProfile('winter', 'mon-fri 06:00-22:00 normal')],
    mayRun: () => true,
    zone: 'Europe/Berlin',
    until: '2026-11-21T22:00:00+01:00',
    contested: ['tue'],
    answers: [{ id: 'a', status: 'applied', at: '2026-11-21T06:00:00.000Z' }],
  });
  return { entity_id: id, state: 'mon-sun none', attributes: JSON.parse(message?.payload ?? '{}') };
};

const withAttributes = (attributes: Readonly<Record<string, unknown>>, id?: string): HassState => {
  const state = given(id);
  return { ...state, attributes: { ...state.attributes, ...attributes } };
};

describe('the attributes of a week', () => {
  it('are read as the bridge publishes them', () => {
    const overview = overviewOf(given());
    expect(overview).toMatchObject({
      week: { mon: [{ start: expect.any(String), position: 0 }] },
      constraints: { modes: ['normal', 'comfort'], resolution: 10, maxEntries: 4, defaultMode: 'reduced' },
      rev: expect.stringMatching(/^[0-9a-f]{8}$/),
      isWritable: true,
      isText: true,
      isActive: true,
      zone: 'Europe/Berlin',
      until: '2026-11-21T22:00:00+01:00',
      contested: ['tue'],
      answers: [{ id: 'a', status: 'applied' }],
    });
    expect(overview?.profiles.map(({ name, week }) => [name, Object.keys(week).length])).toEqual([
      ['summer', 7],
      ['winter', 5],
    ]);
  });

  it('have the end of an answer, which is in UTC, in the zone of the schedule', () => {
    const answers = [
      { id: 'a', status: 'applied', until: '2026-11-21T23:30:00.000Z' },
      { id: 'b', status: 'applied' },
    ];
    expect(overviewOf(withAttributes({ answers }))?.answers).toEqual([{ ...answers[0], until: '2026-11-22T00:30' }, answers[1]]);
    expect(overviewOf(withAttributes({ answers, zone: undefined }))?.answers).toEqual(answers);
  });

  it('of a sensor, and of a schedule that takes no changes now, are to be looked at only', () => {
    expect(overviewOf(given('sensor.home_week'))).toMatchObject({ isWritable: false, isText: false });
    expect(overviewOf(withAttributes({ writable: false }))).toMatchObject({ isWritable: false, isText: true });
  });

  it.each([{ rev: undefined }, { entries: 'x' }, { entries: undefined }, { constraints: [] }])('that are others are none: %j', (wrong) =>
    expect(overviewOf(withAttributes(wrong))).toBeUndefined(),
  );

  it('may have odd parts', () => {
    const odd = { answers: [1, { id: 'a' }], profiles: { bad: 'no week', good: 'mon none' }, zone: 1, until: null, active: undefined };
    expect(overviewOf(withAttributes(odd))).toMatchObject({
      answers: [{ id: 'a' }],
      profiles: [{ name: 'good' }],
      zone: undefined,
      until: undefined,
      isActive: true,
    });
  });
});

it('the weeks among all entities are found by their attributes, those that can be written first', () => {
  const all = [
    given('sensor.room_week'),
    given('text.water_week'),
    { entity_id: 'sensor.mode', state: 'normal', attributes: { mon: [] } },
    withAttributes({ constraints: 1 }, 'text.broken'),
    given('input_text.copy'),
    { entity_id: 'text.away', state: 'unavailable', attributes: {} },
  ];
  const states = Object.fromEntries(all.map((state) => [state.entity_id, state]));
  expect(weekEntities({ states }).map(({ entity_id }) => entity_id)).toEqual(['text.water_week', 'sensor.room_week']);
});
