import { describe, expect, it } from 'vitest';
import { load, mistakes, REQUIRED } from './loading.ts';

const added = (yaml: string): string => `${REQUIRED}${yaml}`;
const PLACE = 'settings.yaml:3 schedules.profiles';
const NAMES = 'allowed: a name of 1 to 30 small letters, digits, _ and -, neither custom nor none';

describe('profiles', () => {
  it('are none by default', () => expect(load(REQUIRED).schedules.profiles).toEqual([]));

  it('are texts or JSON, in their order', () => {
    const yaml =
      'schedules:\n  profiles:\n    summer: daily none\n    at_home-2: { mon: [{ start: 06:00, end: 22:00, mode: normal, position: 0 }] }\n';
    expect(load(added(yaml)).schedules.profiles).toEqual([
      ['summer', 'daily none'],
      ['at_home-2', { mon: [{ start: '06:00', end: '22:00', mode: 'normal', position: '0' }] }],
    ]);
  });

  it('come as JSON from the environment', () => {
    const env = { HEATING2MQTT_SCHEDULES_PROFILES: '{"a":"daily none","b":"mon 6-8"}' };
    expect(load(REQUIRED, env).schedules.profiles).toEqual([
      ['a', 'daily none'],
      ['b', 'mon 6-8'],
    ]);
  });

  it.each<[yaml: string, ...lines: string[]]>([
    ['{ Summer: daily none }', `${PLACE}.Summer: is no name for a profile; ${NAMES}`],
    [
      '{ custom: daily none, none: daily none }',
      `${PLACE}.custom: is no name for a profile; ${NAMES}`,
      `${PLACE}.none: is no name for a profile; ${NAMES}`,
    ],
    [`{ ${'a'.repeat(31)}: daily none }`, `${PLACE}.${'a'.repeat(31)}: is no name for a profile; ${NAMES}`],
    ['{ a: }', `${PLACE}.a: has no week; allowed: a week, as daily 06:00-22:00 normal, or JSON`],
    [
      '{ a: mon 25:00-26:00 x, b: tuseday none }',
      `${PLACE}.a: at 1:5 25:00 is no time; times are HH:MM from 00:00 to 24:00, or whole hours; nearest: 23:59`,
      `${PLACE}.a: at 1:11 26:00 is no time; times are HH:MM from 00:00 to 24:00, or whole hours; nearest: 24:00`,
      `${PLACE}.b: at 1:1 tuseday is no day; days are mon, tue, wed, thu, fri, sat, sun, weekdays, weekend and daily; nearest: tue`,
    ],
    ['{ a: { mon: 5 } }', `${PLACE}.a: at /mon a day is a list of entries, [] when it has none, not 5`],
    ['{ a: "{" }', `${PLACE}.a: at 1:2 a closing } is missing`],
    ['daily none', `${PLACE}: "daily none" takes names with weeks; allowed: { summer: daily none }`],
  ])('%s', (yaml, ...lines) => expect(mistakes(() => load(added(`schedules: { profiles: ${yaml} }`)))).toEqual(lines));
});
