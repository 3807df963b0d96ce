import { describe, expect, test } from 'vitest';
import type { Feature, Json } from '../../../src/features/feature.ts';
import { recordPayload, revision } from '../../../src/topics/recordPayload.ts';
import { featureOf, WEEK } from '../../support/devices/features.ts';
import { commandOf } from '../../support/schedules/commands.ts';

const command = (name: string, params: Readonly<Record<string, string>>, isExecutable = true) =>
  commandOf(name, Object.fromEntries(Object.entries(params).map(([key, type]) => [key, [type, { min: 1 }]])), isExecutable);

const program = (temperature: number, active: boolean, more: Partial<Feature> = {}): Feature =>
  featureOf(
    'heating.programs.normal',
    { temperature: { unit: 'celsius', value: temperature }, active: { value: active } },
    { commands: new Map([command('setTemperature', { targetTemperature: 'number' })]), ...more },
  );

describe('rev', () => {
  const rev = revision(program(21, false));

  test('is eight hexadecimal digits, always the same for the same values', () => {
    expect(rev).toMatch(/^[0-9a-f]{8}$/);
    expect(revision(program(21, false))).toBe(rev);
  });

  test('changes with a value that a command writes, and with no other', () => {
    expect(revision(program(22, false))).not.toBe(rev);
    expect(revision(program(21, true))).toBe(rev);
  });

  test('does not know time, readiness or whether a command can be executed now', () => {
    const later: Partial<Feature> = {
      timestamp: '2026-11-21T06:00:00Z',
      isReady: false,
      commands: new Map([command('setTemperature', { targetTemperature: 'number' }, false)]),
    };
    expect(revision(program(21, false, later))).toBe(rev);
  });

  test('tells a value that is gone from one that is there, and one day of a week from another', () => {
    const scheduled = (entries: Json | undefined): string =>
      revision(
        featureOf(
          's',
          { entries: { type: 'Schedule', ...(entries === undefined ? {} : { value: entries }) } },
          { commands: new Map([command('setSchedule', { newSchedule: 'Schedule' })]) },
        ),
      );
    const moved = { ...(typeof WEEK === 'object' ? WEEK : {}), sun: [] };
    const other = { ...moved, tue: [{ start: '06:00', end: '22:00', mode: 'normal', position: 0 }] };
    expect(scheduled(WEEK)).toBe(scheduled(moved));
    // As the live service writes it.
    const tue = [{ end: '22:00', mode: 'normal', position: 0, start: '06:00' }];
    expect(scheduled({ ...moved, tue })).toBe(scheduled(other));
    expect(new Set([scheduled(WEEK), scheduled(other), scheduled(undefined)]).size).toBe(3);
  });
});

describe('a record', () => {
  const read = (feature: Feature, withoutTopic: readonly string[] = []): unknown => JSON.parse(recordPayload(feature, withoutTopic));

  test('describes properties without their values and commands with their constraints', () => {
    expect(read(program(21, false, { deprecated: { removalDate: '2027-01-01' } }))).toEqual({
      feature: 'heating.programs.normal',
      isEnabled: true,
      isReady: true,
      deprecated: { removalDate: '2027-01-01' },
      properties: { temperature: { type: 'number', unit: 'celsius' }, active: { type: 'boolean' } },
      commands: {
        setTemperature: { isExecutable: true, params: { targetTemperature: { type: 'number', required: true, constraints: { min: 1 } } } },
      },
      rev: revision(program(21, false)),
    });
  });

  test('holds the value of a property that has no topic', () => {
    const feature = featureOf('x', { set: { value: 5 }, value: { value: 6 }, text: {} });
    expect(read(feature, ['set', 'text'])).toMatchObject({
      properties: { set: { value: 5 }, value: { type: 'number' }, text: { type: 'string' } },
    });
    expect(read(feature, ['set', 'text'])).not.toHaveProperty('properties.value.value');
    expect(read(feature, ['set', 'text'])).not.toHaveProperty('properties.text.value');
  });

  test('is the same whatever the time of the platform', () => {
    const [a, b] = ['2026-11-21T06:00:00Z', '2026-11-21T07:00:00Z'].map((timestamp) =>
      recordPayload(program(21, false, { timestamp }), []),
    );
    expect(a).toBe(b);
  });

  test('keeps a name such as __proto__', () => {
    const feature = featureOf('x', {}, { properties: new Map([['__proto__', { type: 'number', value: 1 }]]) });
    expect(recordPayload(feature, ['__proto__'])).toContain('"__proto__":{"type":"number","value":1}');
  });
});
