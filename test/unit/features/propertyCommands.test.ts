import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkArguments } from '../../../src/features/command.ts';
import type { Command, Feature, Json, Parameter, Property } from '../../../src/features/feature.ts';
import { chooseCommand, isSame } from '../../../src/features/propertyCommands.ts';
import { nearestStep, numberIssues } from '../../../src/features/valueRules.ts';
import { writableProperties } from '../../../src/features/writings.ts';
import { readWritten } from '../../../src/features/writtenValue.ts';
import { allFeatures } from '../../support/devices/deviceFiles.ts';
import { featureOf } from '../../support/devices/features.ts';
import { expectTable } from '../../support/golden.ts';
import { commandOf } from '../../support/schedules/commands.ts';

const words = fc.constantFrom('active', 'enabled', 'value', 'temperature', 'min', 'max', 'start', 'end', 'name', 'slope', '__proto__', 'x');
const types = fc.constantFrom('boolean', 'number', 'string', 'array', 'object', 'DeviceList');
const values = { boolean: fc.boolean(), number: fc.double({ noNaN: true, noDefaultInfinity: true }), string: fc.string() };

const property: fc.Arbitrary<Property> = fc.oneof(
  ...Object.entries(values).map(([type, value]) => fc.record({ type: fc.constant(type), value }, { requiredKeys: ['type'] })),
  fc.record({ type: types }),
);
const parameter: fc.Arbitrary<Parameter> = fc.record({
  type: types,
  required: fc.boolean(),
  constraints: fc.constantFrom<Parameter['constraints'][]>(
    {},
    { min: 0, max: 1, stepping: 0.3 },
    { enum: ['a'] },
    { minLength: 2 },
    { enum: [] },
  ),
});
const calls = fc.constantFrom(
  'activate',
  'deactivate',
  'enable',
  'disable',
  'schedule',
  'unschedule',
  'setTemperature',
  'setName',
  'setValue',
  'setMin',
  'setX',
  'changeEnd',
  'addX',
  'remove',
);
const command: fc.Arbitrary<Command> = fc.record({
  name: calls,
  isExecutable: fc.boolean(),
  params: fc
    .dictionary(fc.constantFrom('targetTemperature', 'minTemperature', 'active', 'value', 'name', 'start', 'end', 'slope'), parameter, {
      maxKeys: 4,
    })
    .map((all) => new Map(Object.entries(all))),
});
const feature: fc.Arbitrary<Feature> = fc
  .tuple(fc.array(fc.tuple(words, property), { maxLength: 5 }), fc.array(command, { maxLength: 5 }))
  .map(([properties, commands]) => ({
    ...featureOf('f', {}),
    properties: new Map(properties),
    commands: new Map(commands.map((one) => [one.name, one])),
  }));

describe('whatever commands a feature has', () => {
  test('the one chosen has the wish in its effect, changes no other property, and says what it lacks', () => {
    fc.assert(
      fc.property(feature, fc.boolean(), fc.double({ noNaN: true, min: 0, max: 1 }), fc.string(), (one, flag, number, text) => {
        for (const name of writableProperties(one)) {
          const present = one.properties.get(name);
          const wish = present?.type === 'boolean' ? flag : present?.type === 'number' ? number : text;
          const chosen = chooseCommand(one, new Map([[name, wish]]));
          if (typeof chosen === 'string') {
            expect(chosen.length).toBeGreaterThan(10);
            expect(chosen).not.toContain('undefined');
            continue;
          }
          const wished = chosen.effect.get(name);
          expect(isSame(wished, wish) || chosen.rounded.has(name)).toBe(true);
          for (const [other, value] of chosen.effect) if (other !== name) expect(value).toEqual(one.properties.get(other)?.value);
          const lacks = checkArguments(chosen.command, chosen.args).filter(({ rule }) => rule === 'required');
          expect(lacks.map(({ path }) => path.slice(1)).sort()).toEqual([...chosen.missing].sort());
          expect(Object.keys(chosen.args).every((key) => chosen.command.params.has(key))).toBe(true);
        }
      }),
    );
  });

  test('nothing that adds, moves or removes is ever chosen', () => {
    for (const one of allFeatures()) {
      for (const name of writableProperties(one)) {
        const wish = one.properties.get(name)?.type === 'boolean' ? true : 'other';
        const chosen = chooseCommand(one, new Map([[name, wish]]));
        if (typeof chosen !== 'string')
          expect(chosen.command.name).toMatch(/^(?:set|activate|deactivate|enable|disable|schedule|unschedule|change)/);
      }
    }
  });
});

describe('the nearest step', () => {
  const limits = fc.record({
    min: fc.integer({ min: -20, max: 10 }),
    max: fc.integer({ min: 11, max: 80 }),
    stepping: fc.constantFrom(0.1, 0.5, 1, 5, 7),
  });
  test('is legal and at most half a step away, unless the last step lies under the greatest', () => {
    fc.assert(
      fc.property(limits, fc.double({ noNaN: true, min: -30, max: 90 }), (constraints, value) => {
        const rounded = nearestStep(constraints, value);
        const beyond = Math.max(constraints.min - value, value - constraints.max);
        if (beyond > 1e-5) expect(rounded).toBe(value);
        else if (beyond <= 0) {
          expect(numberIssues('', constraints, rounded)).toEqual([]);
          const last = constraints.max - ((constraints.max - constraints.min) % constraints.stepping);
          if (value <= last) expect(Math.abs(rounded - value)).toBeLessThanOrEqual(constraints.stepping / 2 + 1e-6);
        }
      }),
    );
  });
  test('is the value itself where there is none, and half a step goes up', () => expectTable('steps', 7, nearestStep));
  test.each([
    ['down from above', 49.5, 50, 49],
    ['up from below', 49.5, 45, 50],
    ['never further than the nearest one', 49.6, 51, 50],
    ['not below the limit', 10, 50, 10],
  ])('goes %s', (_, value, present, expected) => expect(nearestStep({ min: 10, max: 60, stepping: 1 }, value, present)).toBe(expected));
});

describe('a written value', () => {
  const form = (type: string, isDate = false) => ({ name: 'x', type, units: ['°C', 'celsius'], isDate });
  test('is read by its type', () =>
    expectTable('writtenValues', 22, (type: string, text: Json) => {
      const read = readWritten(form(type), text, '/at');
      return read.ok ? read.value : `refused: ${read.issues.map(({ path, rule }) => `${path} ${rule}`).join()}`;
    }));
  test('as a day', () =>
    expectTable('writtenDays', 6, (text: string) => {
      const read = readWritten(form('string', true), text, '');
      return read.ok ? read.value : 'refused';
    }));
});

test('a refusal names the value that is to change, not one beside it that stays', () => {
  const properties = { temperature: { value: 21 }, active: { value: true } };
  const program = featureOf('program', properties, { commands: new Map([commandOf('activate')]) });
  const wanted = new Map(Object.entries({ temperature: 21, active: false }));
  expect(chooseCommand(program, wanted)).toBe('active can only be set to true here, not to false');
});
