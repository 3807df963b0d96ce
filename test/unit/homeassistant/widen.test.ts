import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Feature, Json } from '../../../src/features/feature.ts';
import { widened } from '../../../src/homeassistant/widen.ts';
import { runs } from '../../support/chance.ts';
import { featureOf, WEEK } from '../../support/devices/features.ts';
import { expectTable } from '../../support/golden.ts';
import { commandOf } from '../../support/schedules/commands.ts';

const FEATURE = 'heating.dhw.temperature.main';

/** A feature whose `value` is written by a command with these constraints. */
const written = (value: Json | undefined, constraints: Readonly<Record<string, Json>>, type = 'number'): Feature =>
  featureOf(
    FEATURE,
    { value: { type, ...(value === undefined ? {} : { value }) } },
    { commands: new Map([commandOf('setValue', { value: [type, constraints] })]) },
  );
const constraintsIn = (feature: Feature) => feature.commands.get('setValue')?.params.get('value')?.constraints;
const limitsIn = (feature: Feature) => z.object({ min: z.number().optional(), max: z.number().optional() }).parse(constraintsIn(feature));

describe('what hubs are offered', () => {
  it('has room for the value', () =>
    expectTable('widened', 11, (_: string, value: Json, constraints: Readonly<Record<string, Json>>) =>
      constraintsIn(widened(undefined, written(value, constraints))),
    ));

  it('has room for any number within any limits, and no more of it the second time', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(number, fc.record({ min: number, max: number, stepping: number }, { requiredKeys: [] }), (value, constraints) => {
        const once = widened(undefined, written(value, constraints));
        const { min = value, max = value } = limitsIn(once);
        expect([Number.isFinite(min), min <= value, Number.isFinite(max), max >= value]).toEqual([true, true, true, true]);
        expect(widened(once, written(value, constraints))).toEqual(once);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('has room for a mode that is new, and for the length of a text', () => {
    expect(constraintsIn(widened(undefined, written('boost', { enum: ['off'] }, 'string')))).toEqual({ enum: ['off', 'boost'] });
    expect(constraintsIn(widened(undefined, written('', { enum: ['off'] }, 'string')))).toEqual({ enum: ['off'] });
    expect(constraintsIn(widened(undefined, written('four', { maxLength: 3 }, 'string')))).toEqual({ maxLength: 4 });
    expect(constraintsIn(widened(undefined, written(WEEK, { modes: ['comfort'] }, 'Schedule')))).toEqual({ modes: ['comfort', 'normal'] });
  });

  it('only ever gets wider', () => {
    const wide = widened(undefined, written(70, { min: 10, max: 60, stepping: 1 }));
    expect(constraintsIn(widened(wide, written(40, { min: 20, max: 50, stepping: 5 })))).toEqual({ min: 10, max: 70, stepping: 1 });
    const listed = widened(undefined, written('boost', { enum: ['off', 'eco'] }, 'string'));
    expect(constraintsIn(widened(listed, written('off', { enum: ['off', 'comfort'] }, 'string')))).toEqual({
      enum: ['off', 'eco', 'boost', 'comfort'],
    });
    expect(constraintsIn(widened(listed, written('off', {}, 'string')))).toEqual({});
  });

  it('stays as it is when nothing is new', () => {
    const wide = widened(undefined, written(70, { min: 10, max: 60, stepping: 1 }));
    expect(widened(wide, written(70, { min: 10, max: 60, stepping: 1 }))).toEqual(wide);
  });

  it('keeps a sensor that is not connected now, and what has gone for a while', () => {
    const sensor = (status: string, value?: number) =>
      featureOf('rooms.0.sensors.temperature', {
        status: { value: status },
        value: { type: 'number', ...(value === undefined ? {} : { value }) },
      });
    const known = widened(undefined, sensor('connected', 20));
    expect(widened(known, sensor('notConnected'))).toEqual(known);
    expect(widened(known, featureOf('rooms.0.sensors.temperature', {}))).toEqual(known);
    expect(widened(undefined, sensor('notConnected')).properties.get('status')?.value).toBe('notConnected');
  });
});
