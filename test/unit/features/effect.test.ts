import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { effectOf, writtenProperties } from '../../../src/features/effect.ts';
import type { Command, Feature, Parameter, Property } from '../../../src/features/feature.ts';
import { allFeatures, expectFound } from '../../support/devices/deviceFiles.ts';

// command(parameters) | properties of its feature | what it writes, property=parameter; every shape that devices have.
const SHAPES = [
  'activate() |  | -',
  'activate() | active:boolean status:string | active=true',
  'activate() | active:boolean temperature:number | active=true',
  'activate() | active:boolean variant:string | active=true',
  'activate() | active:boolean | active=true',
  'activate() | enabled:boolean | -',
  'activate(begin:string, end:string) | active:boolean begin:string end:string | active=true begin=begin end=end',
  'activate(duration:number, temperature:number) | active:boolean defaultDuration:number | -',
  'activate(temperature:number) | active:boolean | -',
  'activate(temperature?:number) | active:boolean demand:string temperature:number | active=true temperature=temperature',
  'activate(timeout?:number) | active:boolean defaultRuntime:number isCommandExecutable:boolean | -',
  'activate(timeout?:number) | active:boolean defaultRuntime:number | -',
  'add(heatingCircuit:number, name:string) | enabled:array | -',
  'add(name:string, type:string) | enabled:array | -',
  'addActor(actorDeviceId:string, heatingCircuit?:number) | actors:array name:string type:string | -',
  'changeEndDate(end:string) | active:boolean end:string start:string | end=end',
  'deactivate() | active:boolean begin:string end:string | active=false',
  'deactivate() | active:boolean defaultDuration:number | active=false',
  'deactivate() | active:boolean defaultRuntime:number isCommandExecutable:boolean | active=false',
  'deactivate() | active:boolean defaultRuntime:number | active=false',
  'deactivate() | active:boolean demand:string temperature:number | active=false',
  'deactivate() | active:boolean status:string | active=false',
  'deactivate() | active:boolean temperature:number | active=false',
  'deactivate() | active:boolean variant:string | active=false',
  'deactivate() | active:boolean | active=false',
  'disable() | enabled:boolean | enabled=false',
  'enable() | enabled:boolean | enabled=true',
  'moveActor(actorDeviceId:string, heatingCircuit?:number, newRoomId:number) | actors:array name:string type:string | -',
  'remove() | actors:array name:string type:string | -',
  'removeActor(actorDeviceId:string) | actors:array name:string type:string | -',
  'resetFilterRuntime() | operatingHours:number overdueHours:number remainingHours:number | -',
  'resetSchedule() | active:boolean entries:Schedule | -',
  'schedule(end:string, start:string) | active:boolean end:string start:string | end=end start=start',
  'setActive(active:boolean) | active:boolean phase:string | active=active',
  'setActive(active:boolean) | active:boolean status:string | active=active',
  'setActive(active:boolean) | active:boolean variant:string | active=active',
  'setActive(active:boolean) | active:boolean | active=active',
  'setCurve(shift:number, slope:number) | shift:number slope:number | shift=shift slope=slope',
  'setDefaultRuntime(defaultRuntime:number) | active:boolean defaultRuntime:number isCommandExecutable:boolean | defaultRuntime=defaultRuntime',
  'setDefaultRuntime(defaultRuntime:number) | active:boolean defaultRuntime:number | defaultRuntime=defaultRuntime',
  'setHysteresis(hysteresis:number) | switchOffValue:number switchOnValue:number value:number | value=hysteresis',
  'setHysteresisSwitchOffValue(hysteresis:number) | switchOffValue:number switchOnValue:number value:number | switchOffValue=hysteresis',
  'setHysteresisSwitchOnValue(hysteresis:number) | switchOffValue:number switchOnValue:number value:number | switchOnValue=hysteresis',
  'setLevel(level:string) | active:boolean | -',
  'setLevels(maxTemperature:number, minTemperature:number) | max:number maxUnit:string min:number minUnit:string | max=maxTemperature min=minTemperature',
  'setLevels(maxTemperature:number, minTemperature:number) | max:number min:number | max=maxTemperature min=minTemperature',
  'setMax(temperature:number) | max:number maxUnit:string min:number minUnit:string | max=temperature',
  'setMax(temperature:number) | max:number min:number | max=temperature',
  'setMin(temperature:number) | max:number maxUnit:string min:number minUnit:string | min=temperature',
  'setMin(temperature:number) | max:number min:number | min=temperature',
  'setMode(mode:string) | value:string | value=mode',
  'setModeContinuousSensorOverride() | value:string | -',
  'setName(name:string) | active:boolean name:string type:string | name=name',
  'setName(name:string) | actors:array name:string type:string | name=name',
  'setName(name:string) | name:string | name=name',
  'setPhase(value:string) | active:boolean phase:string | phase=value',
  'setSchedule(newSchedule:Schedule) | active:boolean entries:Schedule | entries=newSchedule',
  'setTargetTemperature(temperature:number) | unit:string value:number | value=temperature',
  'setTargetTemperature(temperature:number) | value:number | value=temperature',
  'setTemperature(targetTemperature:number) | active:boolean defaultDuration:number | -',
  'setTemperature(targetTemperature:number) | active:boolean demand:string temperature:number | temperature=targetTemperature',
  'setTemperature(targetTemperature:number) | active:boolean temperature:number | temperature=targetTemperature',
  'setTemperature(targetTemperature:number) | active:boolean | -',
  'setTemperature(targetTemperature:number) | temperature:number | temperature=targetTemperature',
  'setTemperature(targetTemperature:number) | value:number | value=targetTemperature',
  'setTimeout(timeout:number) | active:boolean defaultRuntime:number isCommandExecutable:boolean | -',
  'setType(type:string) | actors:array name:string type:string | type=type',
  'setValue(value:number) | value:number | value=value',
  'setValue(value:number) | volumeFlow:number | volumeFlow=value',
  'trigger() | enabled:boolean | -',
  'unschedule() | active:boolean end:string start:string | -',
];

// Shapes of our own, at the edges of the rules.
const OWN = [
  'setName(name:string) | active:boolean name:string | name=name',
  'activate(temperature?:number) | active:boolean temperature:number | active=true temperature=temperature',
  'setHysteresis(hysteresis:number) | switchOnValue:number value:number | value=hysteresis',
  'setHysteresisSwitchOnValue(hysteresis:number) | switchOnValue:number value:number | switchOnValue=hysteresis',
  'setName(name:string) | name:string type:string | name=name',
  'setType(type:string) | name:string type:string | type=type',
  'remove() | name:string type:string | -',
  'activate(duration:number, temperature:number) | active:boolean | -',
  'activate(timeout?:number) | active:boolean defaultRuntime:number runtime:number | -',
  'deactivate() | active:boolean defaultRuntime:number runtime:number | active=false',
  'setDefaultRuntime(defaultRuntime:number) | active:boolean defaultRuntime:number runtime:number | defaultRuntime=defaultRuntime',
  'setTemperature(duration?:number, targetTemperature:number) | temperature:number | -',
  'setTemperature(mode:string) | temperature:number | -',
  'setTemperature(a:number, b:number) | temperature:number value:number | -',
  'setSchedule(week:Schedule) | b:Schedule a:Schedule | a=week',
  'setSchedule(newSchedule:Schedule) | entries:object | -',
  'setValue(value:number) | value:string | -',
  'setValue(value:number) | a:number b:number | -',
  'setOther(value:number) | volumeFlow:number | -',
  'setMin(minutes:number) | max:number | -',
  'setLevels(maxTemperature:number, minTemperature:number) | max:number | -',
  'setMode(minutes:number, mode:string) | minutes:number value:string | -',
  'activate(active:boolean) | active:boolean | -',
  'activate() | active:string | -',
  'triggerDaily(value:number) | value:number | -',
  'rename(name:string) | name:string | -',
  'settle(value:number) | value:number | -',
];

const pairs = (text: string): [name: string, type: string][] =>
  text.split(/,? /u).flatMap((pair): [string, string][] => {
    const [name, type] = pair.split(':');
    return name && type ? [[name, type]] : [];
  });

const shapeOf = (row: string): { command: Command; feature: Feature; writes: string } => {
  const [call = '', properties = '', writes = ''] = row.split(' | ');
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
  return { command, feature, writes };
};

/** The effect with each parameter's own name as its argument, written as in the tables. */
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
  test.each([...SHAPES, ...OWN])('%s', (row) => {
    const { command, feature, writes } = shapeOf(row);
    expect(written(feature, command)).toBe(writes);
  });

  test('predicts an activation without its optional parameters, whether they write something or not', () => {
    const { command, feature } = shapeOf('activate(timeout?:number) | active:boolean defaultRuntime:number | -');
    expect([...(effectOf(feature, command, {}) ?? [])]).toEqual([['active', true]]);
  });

  test('predicts nothing from a parameter that the command does not have', () => {
    const { command, feature } = shapeOf('setMode(mode:string) | value:string | -');
    expect(effectOf(feature, command, { mode: 'dhw', constructor: 1 })).toBeUndefined();
    expect(effectOf(feature, command, JSON.parse('{"__proto__":1}'))).toBeUndefined();
    expect(effectOf(feature, command, {})).toBeUndefined();
  });

  test('never throws', () => {
    const { command, feature } = shapeOf('activate(temperature?:number) | active:boolean temperature:number | -');
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
        rows.add(`${command.name}(${params}) | ${properties} | ${written(feature, command)}`);
      }
    }
    expect([...rows].filter((row) => ![...SHAPES, ...OWN].includes(row))).toEqual([]);
    expectFound(SHAPES.filter((row) => rows.has(row)).length, SHAPES.length);
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
