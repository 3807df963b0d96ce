import { describe, expect, test } from 'vitest';
import { effectOf } from '../../../src/features/effect.ts';
import type { Feature, Json } from '../../../src/features/feature.ts';
import { callsThatWrite } from '../../../src/features/reverseCommand.ts';
import { allFeatures, expectFound } from '../../support/devices/deviceFiles.ts';
import { featureOf } from '../../support/devices/features.ts';
import { commandOf } from '../../support/schedules/commands.ts';

const ANY = (_command: string): boolean => true;
const calls = (feature: Feature, wanted: Readonly<Record<string, Json>>, mayCall = ANY) =>
  callsThatWrite(feature, new Map(Object.entries(wanted)), mayCall)?.map(({ command, args }) => [command, args]);

const CURVE = featureOf(
  'heating.curve',
  { slope: { value: 1.4 }, shift: { value: 3 } },
  { commands: new Map([commandOf('setCurve', { slope: ['number', { min: 0.2, max: 3.5 }], shift: ['number'] })]) },
);
const PROGRAM = featureOf(
  'heating.programs.comfort',
  { active: { value: true }, temperature: { value: 22 } },
  {
    commands: new Map([
      commandOf('setTemperature', { targetTemperature: ['number'] }),
      commandOf('activate', { temperature: ['number', {}, false] }),
      commandOf('deactivate', {}, false),
    ]),
  },
);

describe('the commands that bring values back', () => {
  test('are one for values that one command writes; what it needs beside is what is there', () => {
    expect(calls(CURVE, { slope: 1.1, shift: 0 })).toEqual([['setCurve', { slope: 1.1, shift: 0 }]]);
    expect(calls(CURVE, { slope: 1.1 })).toEqual([['setCurve', { slope: 1.1, shift: 3 }]]);
  });

  test('are the opposite of activate, executable now or not', () => {
    expect(calls(PROGRAM, { active: false })).toEqual([['deactivate', {}]]);
    expect(calls(featureOf(PROGRAM.name, { active: { value: false } }, { commands: PROGRAM.commands }), { active: true })).toEqual([
      ['activate', {}],
    ]);
  });

  test('are several where it takes several', () => {
    const both = calls(PROGRAM, { active: false, temperature: 20 });
    expect(both).toHaveLength(2);
    expect(both).toEqual(expect.arrayContaining([['setTemperature', { targetTemperature: 20 }]]));
    expect(both).toEqual(expect.arrayContaining([['deactivate', {}]]));
  });

  test('are none where no command writes the property, it is forbidden, or it refuses the value', () => {
    expect(calls(CURVE, { other: 1 })).toBeUndefined();
    expect(calls(PROGRAM, { active: false }, (name) => name !== 'deactivate')).toBeUndefined();
    expect(calls(CURVE, { slope: 9 })).toBeUndefined();
    expect(calls(featureOf('x', { active: { value: true } }, { commands: new Map([commandOf('activate')]) }), { active: false })).toBe(
      undefined,
    );
  });
});

test('on every device they have the effect that is wanted and no other', () => {
  let found = 0;
  for (const feature of allFeatures()) {
    for (const [name, { value }] of feature.properties) {
      const wanted = value === undefined ? undefined : callsThatWrite(feature, new Map([[name, value]]), ANY);
      for (const { command, args } of wanted ?? []) {
        const called = feature.commands.get(command);
        for (const [key, given] of (called && effectOf(feature, called, args)) ?? []) {
          expect(given).toEqual(feature.properties.get(key)?.value);
          found += 1;
        }
      }
    }
  }
  expectFound(found, 215);
});
