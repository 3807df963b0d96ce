import { describe, expect, it } from 'vitest';
import { chooseOne, chooseSchedules, NoSchedule } from '../../../../src/cli/schedule/chooseSchedules.ts';
import type { RetainedSchedule } from '../../../../src/cli/schedule/retainedSchedules.ts';
import { weekOf } from '../../../../src/schedule/week.ts';
import { UsageError } from '../../../../src/shared/errors.ts';

const found = (device: string, feature: string): RetainedSchedule => ({
  device,
  feature,
  entries: weekOf(() => []),
  constraints: {},
  writable: true,
  active: true,
});

const HEATING0 = found('home', 'heating.circuits.0.heating.schedule');
const HEATING1 = found('home', 'heating.circuits.1.heating.schedule');
const PUMP = found('home', 'heating.dhw.pumps.circulation.schedule');
const WATER = found('home', 'heating.dhw.schedule');
const CABIN = found('cabin', 'heating.circuits.0.heating.schedule');
const ALL = [CABIN, HEATING0, HEATING1, PUMP, WATER];
const BASE = 'heating2mqtt';

const refusal = (words: string): string => {
  try {
    chooseOne(
      ALL,
      words.split(' ').filter((word) => word !== ''),
      BASE,
    );
  } catch (error) {
    if (error instanceof UsageError) return error.message;
  }
  throw new Error('nothing was refused');
};

describe('which schedules are meant', () => {
  it.each<[words: string, meant: readonly RetainedSchedule[]]>([
    ['', ALL],
    ['home', [HEATING0, HEATING1, PUMP, WATER]],
    ['cabin', [CABIN]],
    ['heating.dhw.schedule', [WATER]],
    ['circuits.1', [HEATING1]],
    ['circuits.0', [CABIN, HEATING0]],
    ['home circuits.0', [HEATING0]],
    ['hom circuits/0', [HEATING0]],
    ['HOME Circulation', [PUMP]],
    ['circu', [CABIN, HEATING0, HEATING1, PUMP]],
    ['cab', [CABIN]],
    ['dhw.schedule', [WATER]],
    ['home dhw', [PUMP, WATER]],
  ])('%s', (words, meant) => {
    expect(
      chooseSchedules(
        ALL,
        words.split(' ').filter((word) => word !== ''),
        BASE,
      ),
    ).toEqual(meant);
  });

  it('is one alone where something is written, else all that it could be are listed', () => {
    expect(chooseOne(ALL, ['home', 'circuits.0'], BASE)).toBe(HEATING0);
    expect(chooseOne([WATER], [], BASE)).toBe(WATER);
    expect(refusal('circuits.0')).toBe(
      'circuits.0 could be several schedules: name one of\n  cabin heating.circuits.0.heating.schedule\n  home heating.circuits.0.heating.schedule',
    );
    expect(refusal('')).toContain('There are several schedules: name one of\n  cabin ');
  });

  it('is told where nothing is called so, with the nearest', () => {
    expect(refusal('home heating.dhw.shedule')).toBe(
      'No feature with a schedule is called heating.dhw.shedule; perhaps meant\n  home heating.dhw.schedule',
    );
    expect(refusal('cabn circuits.0')).toBe(
      'No device with a schedule is called cabn; perhaps meant\n  cabin heating.circuits.0.heating.schedule',
    );
    expect(refusal('xyzzy').split('\n')).toHaveLength(1 + ALL.length);
    expect(refusal('a\u001b[2J b')).not.toContain('\u001b');
  });

  it('is told where there is none at all', () => {
    expect(() => chooseSchedules([], ['home'], 'other')).toThrow(NoSchedule);
    expect(() => chooseSchedules([], [], 'other')).toThrow('No schedule is retained below other on this broker');
  });
});
