import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DeviceState } from '../../../../../src/bridge/state/deviceState.ts';
import { evaluate, type Rules } from '../../../../../src/bridge/writes/parse/evaluate.ts';
import { parseCommand } from '../../../../../src/bridge/writes/parse/parseCommand.ts';
import type { Command, Feature } from '../../../../../src/features/feature.ts';
import { writableProperties } from '../../../../../src/features/writings.ts';
import { payloadOf } from '../../../../../src/topics/valuePayload.ts';
import { anyText } from '../../../../support/anyText.ts';
import { allDevices, expectFound } from '../../../../support/devices/deviceFiles.ts';
import { featureOf } from '../../../../support/devices/features.ts';
import { commandOf } from '../../../../support/schedules/commands.ts';

const ALL: Rules = { allow: ['*'], deny: [], per_hour: 60 };

/** What becomes of a message: `send command {…}`, `unchanged`, or the code and sentence of the refusal. */
const outcomeOf = (
  feature: Feature,
  leaf: string | undefined,
  text: string,
): { readonly said: string; readonly [key: string]: unknown } => {
  const state = new DeviceState({ name: 'home', installation: '1', gateway: '1', device: '0', features: ['*'], exclude: [] });
  state.take(feature, 0);
  const path = [...feature.name.split('.'), ...(leaf === undefined ? [] : [leaf])];
  const understood = parseCommand({ kind: 'set', device: 'home', path }, feature, leaf, text);
  if (!understood.ok) return { said: understood.refusal.code, ...understood.refusal };
  const { write } = understood;
  const chosen = 'choose' in write ? write.choose(state) : ({ kind: 'write', write } as const);
  if (chosen?.kind === 'refused') return { said: chosen.refusal.code, ...chosen.refusal };
  if (chosen?.kind !== 'write') return { said: chosen?.kind ?? 'gone' };
  const decision = evaluate(chosen.write, feature, ALL, 0);
  const { details, envelope } = chosen.write;
  if (decision.kind === 'send')
    return { said: `${chosen.write.command} ${JSON.stringify(decision.args)}`, details, envelope, effect: decision.effect };
  return { said: decision.kind === 'reject' ? decision.code : decision.kind, ...decision, details, envelope };
};

const commands = (...all: (readonly [string, Command])[]): Pick<Feature, 'commands'> => ({ commands: new Map(all) });

type Param = NonNullable<Parameters<typeof commandOf>[1]>[string];
const number = (min: number, max: number, stepping: number): Param => ['number', { min, max, stepping }];

const STEP = { min: 3, max: 37, stepping: 1 };
const program = featureOf(
  'heating.circuits.0.operating.programs.comfort',
  { active: { value: false }, demand: { value: 'unknown' }, temperature: { value: 21.5, unit: 'celsius' } },
  commands(
    commandOf('activate', { temperature: ['number', STEP, false] }),
    commandOf('deactivate', {}, false),
    commandOf('setTemperature', { targetTemperature: ['number', STEP] }),
  ),
);
const curve = featureOf(
  'heating.circuits.0.heating.curve',
  { shift: { value: 2 }, slope: { value: 1.4 } },
  commands(commandOf('setCurve', { shift: number(-13, 40, 1), slope: number(0.2, 3.5, 0.1) })),
);
const levels = featureOf(
  'heating.circuits.0.temperature.levels',
  { min: { value: 20, unit: 'celsius' }, max: { value: 45, unit: 'celsius' } },
  commands(
    commandOf('setLevels', { maxTemperature: number(10, 70, 1), minTemperature: number(1, 30, 1) }),
    commandOf('setMax', { temperature: number(10, 70, 1) }),
    commandOf('setMin', { temperature: number(1, 30, 1) }, false),
  ),
);
const charge = featureOf(
  'heating.dhw.oneTimeCharge',
  { active: { value: false } },
  commands(commandOf('activate'), commandOf('deactivate'), commandOf('setActive', { active: ['boolean'] })),
);
const DAY = { regEx: '^[\\d]{4}-[\\d]{2}-[\\d]{2}$' };
const holiday = (start: string, end: string, active = false): Feature =>
  featureOf(
    'heating.operating.programs.holiday',
    { active: { value: active }, start: { value: start }, end: { value: end } },
    commands(
      commandOf('changeEndDate', { end: ['string', { ...DAY, sameDayAllowed: false }] }, start !== ''),
      commandOf('schedule', { start: ['string', DAY], end: ['string', { ...DAY, sameDayAllowed: false }] }),
      commandOf('unschedule'),
    ),
  );
const [AWAY, HOME] = [holiday('2026-12-20', '2026-12-24'), holiday('', '')];
const DATES = '{"start":"2026-12-21","end":"2026-12-24"}';
const named = featureOf(
  'heating.circuits.0.name',
  { name: { value: 'Floor' } },
  commands(commandOf('setName', { name: ['string', { minLength: 1, maxLength: 20 }] })),
);
const manual = featureOf(
  'rooms.0.quickmodes.manual',
  { active: { value: false }, defaultDuration: { value: 120 } },
  commands(commandOf('activate', { temperature: number(8, 30, 0.5), duration: ['number', { enum: [60, 120] }] }), commandOf('deactivate')),
);
const mode = featureOf(
  'x.modes.active',
  { value: { value: 'dhw' } },
  commands(commandOf('setMode', { mode: ['string', { enum: ['dhw', 'standby'] }] })),
);
const locked = featureOf('p', { value: { value: 'a' } }, commands(commandOf('setMode', { mode: ['string'] }, false)));
const hysteresis = featureOf(
  'x.hysteresis',
  { value: { value: 5, unit: 'kelvin' } },
  commands(commandOf('setHysteresis', { hysteresis: number(1, 10, 0.5) })),
);
const water = featureOf(
  'heating.dhw.temperature.main',
  { value: { value: 50, unit: 'celsius' } },
  commands(commandOf('setTargetTemperature', { temperature: number(10, 60, 1) })),
);
const flow = featureOf('x.level', { volumeFlow: { value: 275 } }, commands(commandOf('setValue', { value: number(200, 300, 1) })));

describe('what a written property sends', () => {
  test.each<[what: string, feature: Feature, leaf: string | undefined, text: string, said: string]>([
    ['one value', program, 'temperature', '22', 'setTemperature {"targetTemperature":22}'],
    ['a comma', program, 'temperature', '22,0', 'setTemperature {"targetTemperature":22}'],
    ['with its unit', program, 'temperature', '22 °C', 'setTemperature {"targetTemperature":22}'],
    ['in quotes', program, 'temperature', '"22.0"', 'setTemperature {"targetTemperature":22}'],
    ['in an envelope', program, 'temperature', '{"value":22,"id":1}', 'setTemperature {"targetTemperature":22}'],
    ['what is shown, off the steps', program, 'temperature', '21.5', 'unchanged'],
    ['a switch on', program, 'active', 'ON', 'activate {}'],
    ['a switch on, as a number', program, 'active', '1', 'activate {}'],
    ['a switch that is off already, though nothing could turn it off now', program, 'active', 'off', 'unchanged'],
    ['a switch by the command with the fewest parameters', charge, 'active', 'true', 'activate {}'],
    ['several by one command', program, undefined, '{"active":true,"temperature":23}', 'activate {"temperature":23}'],
    ['several, of which one stays', program, undefined, '{"active":false,"temperature":23}', 'setTemperature {"targetTemperature":23}'],
    [
      'several, of which one cannot be written and stays',
      program,
      undefined,
      '{"demand":"unknown","temperature":23}',
      'setTemperature {"targetTemperature":23}',
    ],
    ['with the present value of the other', curve, 'slope', '0.8', 'setCurve {"shift":2,"slope":0.8}'],
    ['both', curve, undefined, '{"slope":0.8,"shift":-3}', 'setCurve {"shift":-3,"slope":0.8}'],
    ['both in an envelope', curve, undefined, '{"value":{"slope":0.8},"id":"a"}', 'setCurve {"shift":2,"slope":0.8}'],
    ['the smaller command', levels, 'max', '50', 'setMax {"temperature":50}'],
    ['the command that can be executed', levels, 'min', '21', 'setLevels {"maxTemperature":45,"minTemperature":21}'],
    ['two by the larger one', levels, undefined, '{"min":21,"max":50}', 'setLevels {"maxTemperature":50,"minTemperature":21}'],
    ['an end date', AWAY, 'end', '2026-12-27', 'changeEndDate {"end":"2026-12-27"}'],
    ['a local time for a day', AWAY, 'end', '2026-12-27T12:00:00', 'changeEndDate {"end":"2026-12-27"}'],
    ['a start date with the present end', AWAY, 'start', '2026-12-21', `schedule ${DATES}`],
    ['both dates', HOME, undefined, DATES, `schedule ${DATES}`],
    ['the end of a holiday', holiday('2026-12-20', '2026-12-24', true), 'active', 'false', 'unschedule {}'],
    ['a text as it is', named, 'name', '"Upper" floor', 'setName {"name":"\\"Upper\\" floor"}'],
    ['a text that looks like a number', named, 'name', '12', 'setName {"name":"12"}'],
    ['a text that looks like JSON', named, 'name', '{"a":1}', 'setName {"name":"{\\"a\\":1}"}'],
    ['a text in an envelope', named, 'name', '{"value":"Attic","id":2}', 'setName {"name":"Attic"}'],
    ['the only property of a feature', named, undefined, 'Attic', 'setName {"name":"Attic"}'],
    ['the only property of a feature, by its name', named, undefined, '{"name":"Attic"}', 'setName {"name":"Attic"}'],
    ['the only property of a feature, a text like JSON', named, undefined, '{"a":1}', 'setName {"name":"{\\"a\\":1}"}'],
    ['the only property of its type', flow, 'volumeFlow', '280', 'setValue {"value":280}'],
    ['a mode', mode, 'value', 'standby', 'setMode {"mode":"standby"}'],
    ['a difference of temperatures', hysteresis, 'value', '4.5 K', 'setHysteresis {"hysteresis":4.5}'],
  ])('%s', (_, feature, leaf, text, said) => expect(outcomeOf(feature, leaf, text).said).toBe(said));

  test.each<[feature: Feature, leaf: string | undefined, text: string, said: string, from: unknown]>([
    [program, 'temperature', '21.111', 'setTemperature {"targetTemperature":21}', 21.111],
    [program, undefined, '{"active":true,"temperature":22.6}', 'activate {"temperature":23}', { temperature: 22.6 }],
    [levels, 'max', '49.5', 'setMax {"temperature":50}', 49.5],
    [levels, 'max', '44.5', 'unchanged', 44.5],
    [water, 'value', '49.5', 'setTargetTemperature {"temperature":49}', 49.5],
    [water, 'value', '50.5', 'setTargetTemperature {"temperature":51}', 50.5],
    [curve, 'slope', '0.85', 'invalid', undefined],
    [hysteresis, 'value', '4.4', 'invalid', undefined],
  ])('%# only temperatures go to the nearest step, and say from where', (feature, leaf, text, said, from) => {
    const outcome = outcomeOf(feature, leaf, text);
    expect(outcome.said).toBe(said);
    expect(outcome.details).toEqual(from === undefined ? undefined : { rounded_from: from });
  });

  const rule = (name: string, path = '', nearest?: readonly string[]): unknown =>
    expect.objectContaining({ rule: name, path, ...(nearest && { nearest }) });
  const broken = (...of: Parameters<typeof rule>): object => ({ code: 'invalid', errors: [rule(...of)] });
  const says = (code: string, message: string | RegExp): object => ({ code, message: expect.stringMatching(message) });

  test.each<[what: string, feature: Feature, leaf: string | undefined, text: string, refusal: object]>([
    ['beyond a limit, however near', program, 'temperature', '37.2', { code: 'invalid', errors: [rule('max'), rule('stepping')] }],
    ['another unit', program, 'temperature', '72 °F', says('invalid', '°F is not the unit of temperature; use °C')],
    ['no number', program, 'temperature', 'warm', broken('type')],
    ['a key beside the value', program, 'temperature', '{"value":22,"fro":"1h"}', broken('unknown_key', '/fro', ['for'])],
    ['no boolean', program, 'active', '2', { code: 'invalid' }],
    ['half a JSON', curve, undefined, '{"slope":', { code: 'invalid' }],
    ['a property that no command writes', program, 'demand', 'high', says('not_writable', 'active/set, temperature/set')],
    ['the feature, where there are several', curve, undefined, '0.8', says('invalid', '{"shift": …, "slope": …}')],
    ['an empty object', curve, undefined, '{}', broken('required')],
    ['a name with a slip', curve, undefined, '{"slop":1}', broken('unknown', '/slop', ['slope'])],
    ['its place in an object', curve, undefined, '{"slope":9,"shift":1}', broken('max', '/slope')],
    ['its place in an envelope', curve, undefined, '{"value":{"slope":9}}', broken('max', '/value/slope')],
    ['what no command writes together', program, undefined, '{"demand":"high","temperature":23}', says('not_writable', 'writes demand')],
    [
      'what one command would need besides, with an end of the write',
      holiday('', ''),
      'end',
      '{"value":"2026-12-24","for":"2h"}',
      { code: 'incomplete', message: expect.stringContaining('needs start too'), errors: [rule('required', '/start')] },
    ],
    ['what is no day, before it is kept', HOME, 'start', '2026-02-30', broken('date')],
    ['what has no form, before it is kept', HOME, 'start', 'soon', broken('regEx')],
    ['what has no present value at all', manual, 'active', 'true', says('incomplete', /needs temperature too.*call\/activate/u)],
    ['a mode with a slip', mode, 'value', 'standbye', broken('enum', '', ['standby'])],
    ['what is not executable now', locked, 'value', 'b', { said: 'not_executable' }],
    ['an end before the start', HOME, undefined, '{"start":"2026-12-24","end":"2026-12-21"}', broken('date', '/end')],
  ])('refused: %s', (_, feature, leaf, text, refusal) => expect(outcomeOf(feature, leaf, text)).toMatchObject(refusal));

  test('a command that would change another property is not taken', () => {
    const only = featureOf(
      'p',
      { active: { value: false }, temperature: { value: 20 } },
      commands(commandOf('activate', { temperature: ['number', STEP, false] })),
    );
    const refusal = {
      said: 'not_writable',
      message: 'only activate writes temperature, and it would also set active to true; use call/activate',
    };
    expect(outcomeOf(only, 'temperature', '21')).toMatchObject(refusal);
    const active = { ...only, properties: new Map([...only.properties, ['active', { type: 'boolean', value: true }] as const]) };
    expect(outcomeOf(active, 'temperature', '21').said).toBe('activate {"temperature":21}');
    expect(outcomeOf(only, 'active', 'false').said).toBe('unchanged');
    expect(outcomeOf(active, 'active', 'false')).toMatchObject({
      said: 'not_writable',
      message: 'active can only be set to true here, not to false',
    });
  });
});

describe('the round-trip law', () => {
  const shownValue = fc.oneof(
    anyText(),
    fc.constantFrom('{"value":"x"}', '{"value":1,"id":[]}', '"x"', 'true', '{"name":"y"}', '12', ' '),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.array(fc.string()),
  );
  test('what a writable property shows is unchanged, whatever the value and the constraints', () => {
    fc.assert(
      fc.property(shownValue, fc.boolean(), (value, isExecutable) => {
        const type = Array.isArray(value) ? 'array' : typeof value;
        const limits = { min: 0, max: 1, stepping: 0.5, enum: ['a'], minLength: 3 };
        const feature = featureOf('f', { name: { type, value } }, commands(commandOf('setName', { name: [type, limits] }, isExecutable)));
        const payload = payloadOf(value);
        if (payload !== '') expect(outcomeOf(feature, 'name', payload).said).toBe('unchanged');
      }),
    );
  });

  test('holds for every writable property of every device', () => {
    let tried = 0;
    for (const { features } of allDevices()) {
      for (const feature of features) {
        for (const name of writableProperties(feature)) {
          const payload = payloadOf(feature.properties.get(name)?.value);
          if (payload === '') continue;
          tried += 1;
          expect(outcomeOf(feature, name, payload).said, `${feature.name} ${name} ${payload}`).toBe('unchanged');
        }
      }
    }
    expectFound(tried, 168);
  });
});

test('every command of every device is reached by call/, and goes to the platform unless it cannot be executed now', () => {
  let reached = 0;
  for (const { features } of allDevices()) {
    for (const feature of features) {
      for (const command of feature.commands.values()) {
        const address = { kind: 'call', device: 'home', path: feature.name.split('.'), command: command.name } as const;
        const understood = parseCommand(address, feature, undefined, '{"no":"such"}');
        const write = understood.ok && 'command' in understood.write ? understood.write : undefined;
        expect(write, `${feature.name} ${command.name}`).toMatchObject({ feature: feature.name, command: command.name });
        reached += 1;
        if (!write || command.params.size > 0) continue;
        const decision = evaluate({ ...write, content: { kind: 'arguments', args: {}, placeOf: (path) => path } }, feature, ALL, 0);
        const isForbidden = decision.kind === 'reject' && decision.code === 'forbidden';
        expect(isForbidden, `${feature.name} ${command.name}`).toBe(false);
        if (!command.isExecutable && decision.kind === 'reject') expect(decision.code).toBe('not_executable');
      }
    }
  }
  expectFound(reached, 276);
});
