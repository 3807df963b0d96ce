import type { Command, Feature, Json, Parameter } from '../../../src/features/feature.ts';
import { featureOf, WEEK } from '../devices/features.ts';

type Spec = readonly [type: string, constraints?: Parameter['constraints'], required?: boolean];

/** A command for tests: `commandOf('setTemperature', { targetTemperature: ['number', { min: 3 }] })`. */
export const commandOf = (name: string, specs: Readonly<Record<string, Spec>> = {}, isExecutable = true): readonly [string, Command] => [
  name,
  {
    name,
    isExecutable,
    params: new Map(
      Object.entries(specs).map(([key, [type, constraints = {}, required = true]]): [string, Parameter] => [
        key,
        { type, required, constraints },
      ]),
    ),
  },
];

export const CONSTRAINTS: Parameter['constraints'] = {
  maxEntries: 4,
  resolution: 10,
  modes: ['normal', 'comfort'],
  defaultMode: 'reduced',
  overlapAllowed: false,
};

/** A schedule with one entry on Monday, unless another week is given. */
export const scheduleOf = (week: Json | undefined = WEEK, more: Partial<Feature> = {}, isExecutable = true): Feature =>
  featureOf(
    'heating.schedule',
    { active: { value: true }, entries: { type: 'Schedule', ...(week === null ? {} : { value: week }) } },
    {
      commands: new Map([
        commandOf('setSchedule', { newSchedule: ['Schedule', CONSTRAINTS] }, isExecutable),
        commandOf('resetSchedule', {}, true),
      ]),
      ...more,
    },
  );
