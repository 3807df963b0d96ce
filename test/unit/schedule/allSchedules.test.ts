import { describe, expect, test } from 'vitest';
import { readConstraints } from '../../../src/schedule/constraints.ts';
import { readJsonWeek } from '../../../src/schedule/jsonWeek.ts';
import { readWeek } from '../../../src/schedule/readWeek.ts';
import { completeWeek, validateWeek } from '../../../src/schedule/validateWeek.ts';
import { changedDays } from '../../../src/schedule/week.ts';
import { allFeatures, expectFound } from '../../support/devices/deviceFiles.ts';

/** Every schedule: its week as the platform sent it, and what its command asks for. */
const allSchedules = () =>
  allFeatures().flatMap((feature) => {
    const entries = [...feature.properties.values()].find((property) => property.type === 'Schedule')?.value;
    const parameter = feature.commands.get('setSchedule')?.params.get('newSchedule');
    return entries !== undefined && parameter ? [{ name: feature.name, entries, constraints: readConstraints(parameter.constraints) }] : [];
  });

describe('over the schedules of every device', () => {
  test('each has all its constraints', () => {
    const schedules = allSchedules();
    expectFound(schedules.length, 29);
    for (const { constraints } of schedules) expect(Object.keys(constraints)).toHaveLength(5);
  });

  test('each week is read with nothing lost', () => {
    for (const { name, entries } of allSchedules()) expect(readWeek(entries), name).toEqual({ ok: true, value: entries });
  });

  test('each week written back as it is passes and comes out exactly as it went in', () => {
    for (const { name, entries, constraints } of allSchedules()) {
      const week = readWeek(entries);
      if (!week.ok) throw new Error(name);
      for (const sent of [entries, { newSchedule: entries }]) {
        const days = validateWeek(readJsonWeek(sent), constraints, week.value);
        if (!days.ok) throw new Error(`${name} ${JSON.stringify(days.issues)}`);
        expect(completeWeek(days.value, week.value), name).toEqual(entries);
        expect(changedDays(completeWeek(days.value, week.value), week.value), name).toEqual([]);
      }
    }
  });
});
