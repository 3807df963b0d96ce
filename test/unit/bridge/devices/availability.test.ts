import { describe, expect, test } from 'vitest';
import { Availability } from '../../../../src/bridge/devices/availability.ts';

const MINUTE = 60_000;

const good = { ok: true } as const;
const bad = (code: string) => ({ ok: false, failure: Object.assign(new Error(code), { code, executed: 'no' as const }) }) as const;
const word = (availability: Availability) => availability.is;

describe('a device', () => {
  test('says nothing before its first read has ended', () => {
    const availability = new Availability(0);
    availability.look(MINUTE, 60);
    expect(availability.is).toBeUndefined();
    availability.read(good, 0);
    expect(availability.is).toBe('online');
  });

  test.each(['gateway_offline', 'device_offline'])('is offline at once when the platform says %s, and online after a good read', (code) => {
    const availability = new Availability(0);
    availability.read(good, 0);
    availability.read(bad(code), 1);
    expect(word(availability)).toBe('offline');
    availability.read(bad('timeout'), 2);
    expect(word(availability)).toBe('offline');
    availability.read(good, 3);
    expect(word(availability)).toBe('online');
  });

  test.each(['rate_limited', 'server_error', 'timeout', 'not_found', 'login_needed'])('stays as it was through %s', (code) => {
    const availability = new Availability(0);
    availability.read(bad(code), 0);
    expect(word(availability)).toBeUndefined();
    availability.read(good, 1);
    availability.read(bad(code), 2);
    expect(word(availability)).toBe('online');
  });

  test.each([
    [60, 15],
    [290, 15],
    [600, 30],
    [3600, 180],
  ])('polled every %i s is offline after %i minutes without a good read', (seconds, minutes) => {
    const availability = new Availability(0);
    availability.read(good, 0);
    availability.look(minutes * MINUTE, seconds);
    expect(word(availability)).toBe('online');
    availability.look(minutes * MINUTE + 1, seconds);
    expect(word(availability)).toBe('offline');
  });

  test('that was never read is offline after that time, too', () => {
    const availability = new Availability(5 * MINUTE);
    availability.look(20 * MINUTE, 60);
    expect(word(availability)).toBeUndefined();
    availability.look(20 * MINUTE + 1, 60);
    expect(word(availability)).toBe('offline');
  });

  test('is not blamed for the time in which reading was not allowed', () => {
    const availability = new Availability(0);
    availability.read(good, 0);
    availability.excuse(60 * MINUTE);
    availability.look(75 * MINUTE, 60);
    expect(word(availability)).toBe('online');
    availability.look(75 * MINUTE + 1, 60);
    expect(word(availability)).toBe('offline');
  });
});
