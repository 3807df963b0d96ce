import { describe, expect, test } from 'vitest';
import { devicesOf } from '../../../src/page/model/device.ts';
import { healthOf, type Link, REMEDIES } from '../../../src/page/model/health.ts';
import { fixtureDevice } from '../../support/devices/deviceFiles.ts';
import { expectTable } from '../../support/golden.ts';
import { retainedOf } from '../../support/page/retainedOf.ts';

const NOW = Date.parse('2026-11-22T17:00:00Z');

/** A bridge that runs well, with these topics in addition. */
const health = (topics: Readonly<Record<string, string>> = {}, link: Link = 'live') => {
  const all = retainedOf('home', fixtureDevice('boiler'));
  all.set('heating2mqtt/bridge/state', 'online');
  all.set('heating2mqtt/bridge/auth', '{"state":"ok","consent_expires_at":"2027-05-01T00:00:00Z"}');
  all.set('heating2mqtt/bridge/health', '{"last_success_at":"2026-11-22T16:59:00Z","failures":0}');
  for (const [topic, payload] of Object.entries(topics)) all.set(`heating2mqtt/${topic}`, payload);
  return healthOf(all, 'heating2mqtt', devicesOf(all, 'heating2mqtt'), link, NOW);
};

describe('whether all is well', () => {
  test('it is, with the time of the last read', () => expect(health()).toEqual({ kind: 'well', readAt: '2026-11-22T16:59:00Z' }));

  test('it is not, by what is most urgent', () =>
    expectTable('health', 22, (_: string, topics: Readonly<Record<string, string>>) => {
      const found = health(topics);
      return { ...found, remedy: REMEDIES[found.kind] };
    }));

  test('of the broker it is said what it does not forward', () => {
    const told = (broker: object): string => health({ 'bridge/problems': JSON.stringify({ broker }) }).kind;
    expect([told({ message: 'm' }), told({ message: 'm', dots: true })]).toEqual(['unread', 'dotted']);
  });

  test('without a connection nothing else can be said', () => {
    expect(health({ 'bridge/auth': '{"state":"login_needed"}' }, 'lost')).toEqual({ kind: 'lost' });
    expect(health({}, 'connecting')).toEqual({ kind: 'connecting' });
    expect(healthOf(new Map(), 'heating2mqtt', [], 'live', NOW)).toEqual({ kind: 'starting' });
    // An account whose gateway another one has.
    const listed = new Map([['heating2mqtt/bridge/health', '{"last_success_at":"2026-11-22T16:59:00Z","failures":0}']]);
    expect(healthOf(listed, 'heating2mqtt', [], 'live', NOW).kind).toBe('well');
  });

  test('the most urgent comes first: a login before calls, calls before a device', () => {
    const calls = { 'bridge/quota': '{"reset_at":"2026-11-22T23:00:00Z"}' };
    const offline = { 'home/availability': 'offline' };
    expect(health({ ...calls, ...offline, 'bridge/auth': '{"state":"login_needed"}' }).kind).toBe('login');
    expect(health({ ...calls, ...offline }).kind).toBe('calls');
  });

  test.each([
    ['no read has worked', '{"last_poll_at":"2026-11-22T16:59:00Z","failures":1}', { kind: 'reading' }],
    [
      'none works any more',
      '{"last_success_at":"2026-11-22T08:00:00Z","last_poll_at":"2026-11-22T16:59:00Z"}',
      { kind: 'reading', since: '2026-11-22T08:00:00Z' },
    ],
  ])('a device is not said to be offline between two calls that are refused (429), where %s', (_, told, expected) =>
    expect(health({ 'home/availability': 'offline', 'bridge/health': told })).toEqual(expected),
  );

  test.each([
    ['the only heating', 'boiler', []],
    ['the rooms of a heating', 'rooms', ['rooms']],
  ])('%s is offline', (_, device, devices) => {
    const topics = new Map([...retainedOf('boiler', fixtureDevice('boiler')), ...retainedOf('rooms', fixtureDevice('rooms'))]);
    topics.set(`heating2mqtt/${device}/availability`, 'offline');
    topics.set('heating2mqtt/bridge/health', '{"last_success_at":"2026-11-22T16:59:00Z","failures":0}');
    const told = () => healthOf(topics, 'heating2mqtt', devicesOf(topics, 'heating2mqtt'), 'live', NOW);
    expect(told()).toEqual({ kind: 'offline', devices });
    // A thermostat that is away hides no fault of the heating; of a heating that is away nothing is known of now.
    topics.set('heating2mqtt/boiler/faults', '{"active":[{"code":"F.74","kind":"fault","since":"2026-11-22T10:00:00Z"}]}');
    expect(told().kind).toBe(devices.length === 0 ? 'offline' : 'fault');
  });
});
