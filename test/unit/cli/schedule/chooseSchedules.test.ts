import { describe, expect, it } from 'vitest';
import { chooseOne, chooseSchedules, NoSchedule } from '../../../../src/cli/schedule/chooseSchedules.ts';
import type { RetainedSchedule } from '../../../../src/cli/schedule/retainedSchedules.ts';
import { weekOf } from '../../../../src/schedule/week.ts';
import { UsageError } from '../../../../src/shared/errors.ts';
import { expectTable } from '../../../support/golden.ts';

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

const split = (words: string): readonly string[] => words.split(' ').filter((word) => word !== '');
const choosing = (words: string) => () => chooseOne(ALL, split(words), BASE);

describe('which schedules are meant', () => {
  it('is told by words of device and feature', () =>
    expectTable('schedulesChosen', 13, (words: string) =>
      chooseSchedules(ALL, split(words), BASE).map(({ device, feature }) => `${device} ${feature}`),
    ));

  it('is one alone where something is written, else all that it could be are listed', () => {
    expect(chooseOne(ALL, ['home', 'circuits.0'], BASE)).toBe(HEATING0);
    expect(chooseOne([WATER], [], BASE)).toBe(WATER);
    expect(choosing('circuits.0')).toThrow(
      'circuits.0 matches several schedules; name one of these:\n  cabin heating.circuits.0.heating.schedule\n  home heating.circuits.0.heating.schedule',
    );
    expect(choosing('')).toThrow(UsageError);
    expect(choosing('')).toThrow('There are several schedules; name one of these:\n  cabin ');
  });

  it('is told where nothing is called so, with the nearest', () => {
    expect(choosing('home heating.dhw.shedule')).toThrow(
      'No feature with a schedule has the name heating.dhw.shedule; did you mean:\n  home heating.dhw.schedule',
    );
    expect(choosing('cabn circuits.0')).toThrow(
      'No device with a schedule has the name cabn; did you mean:\n  cabin heating.circuits.0.heating.schedule',
    );
    expect(choosing('xyzzy')).toThrow(/^[^\n]+(?:\n {2}\S+ \S+){5}$/);
    expect(choosing('a\u001b[2J b')).toThrow(/^[\n\P{Cc}]+$/u);
  });

  it('is told where there is none at all', () => {
    expect(() => chooseSchedules([], ['home'], 'other')).toThrow(NoSchedule);
    expect(() => chooseSchedules([], [], 'other')).toThrow('The broker has no schedule below other.');
  });
});
