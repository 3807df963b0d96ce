import { describe, expect, it } from 'vitest';
import { expectTable } from '../../support/golden.ts';
import { load, mistakes, REQUIRED } from './loading.ts';

const added = (yaml: string): string => `${REQUIRED}${yaml}`;

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

  it('are told their mistakes', () =>
    expectTable('profileMistakes', 9, (yaml: string) => mistakes(() => load(added(`schedules: { profiles: ${yaml} }`)))));
});
