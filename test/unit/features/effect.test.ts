import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { effectOf, writtenProperties } from '../../../src/features/effect.ts';
import type { Command, Feature, Parameter, Property } from '../../../src/features/feature.ts';
import { allFeatures, expectFound } from '../../support/devices/deviceFiles.ts';
import { expectTable, tableOf } from '../../support/golden.ts';

const pairs = (text: string): [name: string, type: string][] =>
  text.split(/,? /u).flatMap((pair): [string, string][] => {
    const [name, type] = pair.split(':');
    return name && type ? [[name, type]] : [];
  });

const shapeOf = (row: string): { command: Command; feature: Feature } => {
  const [call = '', properties = ''] = row.split(' | ');
  const [name = '', params = ''] = call.split(/[()]/u);
  const command: Command = {
    name,
    isExecutable: true,
    params: new Map(
      pairs(params).map(([key, type]): [string, Parameter] => [
        key.replace('?', ''),
        { type, required: !key.endsWith('?'), constraints: {} },
      ]),
    ),
  };
  const feature: Feature = {
    name: 'made.up',
    gateway: '1',
    isEnabled: true,
    isReady: true,
    properties: new Map(pairs(properties).map(([key, type]): [string, Property] => [key, { type }])),
    commands: new Map([[name, command]]),
  };
  return { command, feature };
};

/** The effect with each parameter's own name as its argument. */
const written = (feature: Feature, command: Command): string => {
  const effect = effectOf(feature, command, Object.fromEntries([...command.params.keys()].map((name) => [name, name])));
  return effect
    ? [...effect]
        .map(([property, value]) => `${property}=${value}`)
        .sort()
        .join(' ')
    : '-';
};

describe('effectOf', () => {
  // command(parameters) | properties of its feature → what it writes, property=parameter
  test.each([
    ['effects', 71],
    ['effectsAtEdges', 27],
  ])('%s', (name, count) =>
    expectTable(name, count, (row: string) => {
      const { command, feature } = shapeOf(row);
      return written(feature, command);
    }),
  );

  test('predicts an activation without its optional parameters, whether they write something or not', () => {
    const { command, feature } = shapeOf('activate(timeout?:number) | active:boolean defaultRuntime:number');
    expect([...(effectOf(feature, command, {}) ?? [])]).toEqual([['active', true]]);
  });

  test('predicts nothing from a parameter that the command does not have', () => {
    const { command, feature } = shapeOf('setMode(mode:string) | value:string');
    expect(effectOf(feature, command, { mode: 'dhw', constructor: 1 })).toBeUndefined();
    expect(effectOf(feature, command, JSON.parse('{"__proto__":1}'))).toBeUndefined();
    expect(effectOf(feature, command, {})).toBeUndefined();
  });

  test('never throws', () => {
    const { command, feature } = shapeOf('activate(temperature?:number) | active:boolean temperature:number');
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (args, name) => {
        effectOf(feature, { ...command, name }, JSON.parse(JSON.stringify(args)));
      }),
    );
  });

  test('has a row for every command of every device', () => {
    const types = (map: ReadonlyMap<string, { type: string }>, between: string, mark: (name: string) => string) =>
      [...map]
        .map(([name, { type }]) => `${mark(name)}:${type}`)
        .sort()
        .join(between);
    const rows = new Set<string>();
    for (const feature of allFeatures()) {
      for (const command of feature.commands.values()) {
        const params = types(command.params, ', ', (name) => (command.params.get(name)?.required ? name : `${name}?`));
        const properties = types(feature.properties, ' ', (name) => name);
        rows.add(`${command.name}(${params}) | ${properties}`);
      }
    }
    const [known, atEdges] = ['effects', 'effectsAtEdges'].map((name) => tableOf(name).map(([row]) => row));
    expect([...rows].filter((row) => !known?.includes(row) && !atEdges?.includes(row))).toEqual([]);
    expectFound(known?.filter((row) => rows.has(String(row))).length ?? 0, 71);
  });
});

describe('writtenProperties', () => {
  test.each([
    ['activate(temperature?:number) | active:boolean demand:string temperature:number', ['active', 'temperature']],
    ['activate(timeout?:number) | active:boolean defaultRuntime:number', ['active']],
    ['activate(temperature:number) | active:boolean', []],
    ['setCurve(slope:number, shift:number) | slope:number shift:number', ['shift', 'slope']],
    ['setLevels(maxTemperature:number, minTemperature:number) | min:number max:number minUnit:string', ['max', 'min']],
    ['resetSchedule() | active:boolean entries:Schedule', []],
  ])('of %s', (row, names) => expect(writtenProperties(shapeOf(row).feature)).toEqual(names));

  test('gathers over the commands, also those that are not executable now', () => {
    const { feature, command } = shapeOf('changeEndDate(end:string) | active:boolean start:string end:string');
    const plan = shapeOf('schedule(end:string, start:string) | active:boolean').command;
    const commands = new Map([command, { ...plan, isExecutable: false }].map((one): [string, Command] => [one.name, one]));
    expect(writtenProperties({ ...feature, commands })).toEqual(['end', 'start']);
  });
});
