import { describe, expect, test } from 'vitest';
import type { Features, Remembered } from '../../../../src/features/composites/composite.ts';
import { compositesOf, isPartOfComposite } from '../../../../src/features/composites/compositesOf.ts';
import { type Route, routeOf } from '../../../../src/features/composites/compositeWrite.ts';
import type { Command, Feature, Json } from '../../../../src/features/feature.ts';
import { compositeMessages } from '../../../../src/topics/featureState.ts';
import { allDevices, expectFound, fixtureDevice } from '../../../support/devices/deviceFiles.ts';
import { featureOf } from '../../../support/devices/features.ts';
import { expectTable } from '../../../support/golden.ts';
import { commandOf } from '../../../support/schedules/commands.ts';

type Call = readonly [string, Command];
type Values = Readonly<Record<string, Json | undefined>>;

const feature = (name: string, values: Values, ...calls: readonly Call[]): Feature =>
  featureOf(name, Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value === undefined ? {} : { value }])), {
    commands: new Map(calls),
  });

const home = (...features: readonly Feature[]): Features => new Map(features.map((one) => [one.name, one]));

const C = 'heating.circuits.0';
const STEP = { min: 3, max: 37, stepping: 1 };
const setTemperature = (isExecutable = true): Call => commandOf('setTemperature', { targetTemperature: ['number', STEP] }, isExecutable);
const mode = (value: string, modes: readonly string[]): Feature =>
  feature(`${C}.operating.modes.active`, { value }, commandOf('setMode', { mode: ['string', { enum: [...modes] }] }));
const inForce = (value: string): Feature => feature(`${C}.operating.programs.active`, { value });
const normal = feature(`${C}.operating.programs.normal`, { active: true, temperature: 20 }, setTemperature());
const eco = (active: boolean, isEndable = active): Feature =>
  feature(
    `${C}.operating.programs.eco`,
    { active, temperature: 18 },
    commandOf('activate', {}, !active),
    commandOf('deactivate', {}, isEndable),
  );
const standby = feature(`${C}.operating.programs.standby`, { active: false });

const R = 'rooms.3';
const LIMITS = { min: 8, max: 30, stepping: 0.5 };
const sensor = (status: string, value?: number): Feature => feature(`${R}.sensors.temperature`, { status, value });
const room = (level: string, demand = 'energySaving'): Feature => feature(`${R}.operating.state`, { level, demand });
const roomProgram = feature(
  `${R}.operating.programs.normalHeating`,
  { active: false, temperature: 20.5 },
  commandOf('setTemperature', { targetTemperature: ['number', LIMITS] }),
);
const tillNext = (active: boolean): Feature =>
  feature(
    `${R}.quickmodes.manualTillNextSchedule`,
    { active },
    commandOf('activate', { temperature: ['number', LIMITS] }),
    commandOf('deactivate'),
    commandOf('setTemperature', { targetTemperature: ['number', LIMITS] }, active),
  );

const W_MODE = 'heating.dhw.operating.modes.active';
const waterMode = (value: string, modes: readonly string[]): Feature =>
  feature(W_MODE, { value }, commandOf('setMode', { mode: ['string', { enum: [...modes] }] }));
const waterTarget = feature(
  'heating.dhw.temperature.main',
  { value: 50 },
  commandOf('setTargetTemperature', { temperature: ['number', { min: 10, max: 60, stepping: 1 }] }),
);

const partsOf = (features: Features, remembered: Remembered = {}): Record<string, object> =>
  Object.fromEntries(compositesOf(features, () => remembered).map(({ name, parts }) => [name, Object.fromEntries(parts)]));

describe('what a climate shows', () => {
  test.each<[what: string, features: readonly Feature[], parts: object]>([
    ['a circuit', [mode('heating', ['heating', 'standby']), inForce('normal'), normal], { mode: 'auto', target: 20 }],
    [
      'standing by, a program without a temperature',
      [mode('standby', ['standby']), inForce('standby'), normal, standby],
      { mode: 'off', target: undefined },
    ],
    ['only hot water', [mode('dhw', ['dhw', 'dhwAndHeating'])], { mode: 'off' }],
    ['by force', [mode('forcedReduced', [])], { mode: 'heat' }],
    ['cooling', [mode('cooling', [])], { mode: 'cool' }],
    ['heating and cooling', [mode('heatingCooling', [])], { mode: 'auto' }],
    ['a mode of another kind', [mode('screed', [])], { mode: undefined }],
    ['a program that a person has activated', [inForce('eco'), eco(true)], { target: 18, preset: 'eco' }],
    ['a program that the week asks for', [inForce('eco'), eco(true, false)], { target: 18, preset: 'none' }],
    [
      'a room sensor',
      [normal, feature(`${C}.sensors.temperature.room`, { status: 'connected', value: 21.3 })],
      { target: 20, current: 21.3 },
    ],
    ['a room sensor that is not there', [normal, feature(`${C}.sensors.temperature.room`, { status: 'notConnected' })], { target: 20 }],
    ['the supply is no room', [normal, feature(`${C}.sensors.temperature.supply`, { status: 'connected', value: 40 })], { target: 20 }],
  ])('%s', (_, features, parts) => expect(partsOf(home(...features))).toEqual({ [`${C}.climate`]: parts }));

  const pump = (status: string): Feature => feature(`${C}.circulation.pump`, { status });
  const burner = (active: boolean): Feature => feature('heating.burners.0', { active });
  const compressor = (active: boolean, phase: string): Feature => feature('heating.compressors.0', { active, phase });
  test.each<[action: string | undefined, modeNow: string, sources: readonly Feature[]]>([
    ['off', 'standby', [pump('on'), burner(true)]],
    ['idle', 'heating', [pump('off'), burner(true)]],
    ['idle', 'heating', [pump('on'), burner(false)]],
    ['heating', 'heating', [pump('on'), burner(true)]],
    ['heating', 'heating', [burner(true)]],
    ['heating', 'heating', [pump('on')]],
    ['heating', 'heating', [pump('on'), compressor(true, 'heating')]],
    ['cooling', 'heatingCooling', [pump('on'), compressor(true, 'cooling')]],
    ['idle', 'heating', [pump('on'), compressor(true, 'defrost')]],
    ['idle', 'heating', [pump('on'), compressor(false, 'heating')]],
    ['idle', 'heating', [pump('on'), compressor(true, 'heating'), feature('heating.dhw.charging', { active: true })]],
    ['heating', 'heating', [pump('on'), compressor(true, 'heating'), feature('heating.dhw.charging', { active: false })]],
    [undefined, 'heating', []],
  ])('action %s: mode %s', (action, modeNow, sources) => {
    const { [`${C}.climate`]: parts } = partsOf(home(mode(modeNow, []), ...sources));
    expect(parts).toEqual({ mode: expect.any(String), ...(action === undefined ? {} : { action }) });
  });

  test.each<[what: string, features: readonly Feature[], parts: object | undefined]>([
    [
      'by its level',
      [sensor('connected', 20.8), room('normal', 'heating'), roomProgram],
      { target: 20.5, current: 20.8, action: 'heating' },
    ],
    [
      'a word of its own',
      [sensor('connected', 20.8), room('normal', 'dancing'), roomProgram],
      { target: 20.5, current: 20.8, action: undefined },
    ],
    ['without a sensor', [sensor('notConnected'), room('normal'), roomProgram], undefined],
    ['with a sensor in error', [sensor('error'), room('normal'), roomProgram], { target: 20.5, action: 'idle' }],
    [
      'overridden by somebody else',
      [sensor('error'), roomProgram, tillNext(true)],
      { target: undefined, preset: 'manualTillNextSchedule' },
    ],
  ])('a room: %s', (_, features, parts) => expect(partsOf(home(...features))[`${R}.climate`]).toEqual(parts));

  test('a room overridden through the bridge shows what was sent', () => {
    const features = home(sensor('error'), room('normal'), roomProgram, tillNext(true));
    const override = { feature: `${R}.quickmodes.manualTillNextSchedule`, temperature: 23 };
    expect(partsOf(features, { override })[`${R}.climate`]).toMatchObject({ target: 23 });
    expect(partsOf(home(sensor('error'), room('normal'), roomProgram, tillNext(false)), { override })[`${R}.climate`]).toMatchObject({
      target: 20.5,
    });
  });

  test('a circuit that has nothing of this has no climate', () => {
    expect(
      partsOf(home(feature('heating.circuits.2.heating.curve', { slope: 1 }), feature('heating.circuits.1.temperature', { value: 0 }))),
    ).toEqual({});
  });

  test('a feature of that name wins', () => {
    expect(partsOf(home(normal, feature(`${C}.climate.mode`, { value: 'x' })))).toEqual({});
    expect(partsOf(home(normal, feature(`${C}.climates`, { value: 'x' })))).not.toEqual({});
  });

  test('limits are the widest, options what can be written', () => {
    const comfort = feature(
      `${C}.operating.programs.comfort`,
      { active: false, temperature: 22 },
      commandOf('setTemperature', { targetTemperature: ['number', { min: 4, max: 40, stepping: 0.5 }] }),
    );
    const [climate] = compositesOf(
      home(normal, comfort, eco(false), mode('dhw', ['dhw', 'dhwAndHeating', 'forcedNormal', 'screed'])),
      () => ({}),
    );
    expect(climate).toMatchObject({ limits: { min: 3, max: 40, stepping: 0.5 }, modes: ['off', 'auto', 'heat'], presets: ['eco'] });
  });
});

describe('what a water heater shows', () => {
  const cylinder = feature('heating.dhw.sensors.temperature.dhwCylinder', { status: 'connected', value: 48.6 });
  test.each<[what: string, features: readonly Feature[], parts: object | undefined]>([
    [
      'mode and target',
      [waterMode('efficient', ['efficientWithMinComfort', 'efficient', 'off']), waterTarget, cylinder],
      { mode: 'eco', target: 50, current: 48.6 },
    ],
    ['balanced', [waterMode('balanced', ['balanced', 'off'])], { mode: 'performance' }],
    ['comfort', [waterMode('comfort', ['comfort', 'eco', 'off'])], { mode: 'performance' }],
    ['comfort beside balanced', [waterMode('comfort', ['balanced', 'comfort', 'eco', 'off'])], { mode: 'high_demand' }],
    ['balanced beside comfort', [waterMode('balanced', ['balanced', 'comfort', 'eco', 'off'])], { mode: 'performance' }],
    ['two modes of one word', [waterMode('eco', ['eco', 'efficient', 'off']), waterTarget], { target: 50 }],
    ['a circuit in standby', [waterTarget, mode('standby', ['standby', 'dhw'])], { mode: 'off', target: 50 }],
    ['a circuit with hot water alone', [waterTarget, mode('dhw', ['standby', 'dhw'])], { mode: 'performance', target: 50 }],
    ['a circuit that has no say in it', [waterTarget, mode('standby', ['standby', 'heating'])], { target: 50 }],
    ['hot water that is off', [waterTarget, feature('heating.dhw', { active: false })], { mode: 'off', target: 50 }],
    ['a mode without a word', [waterMode('disinfect', ['eco', 'off'])], { mode: undefined }],
    [
      'a sensor without a value',
      [waterTarget, feature('heating.dhw.sensors.temperature.hotWaterStorage', { status: 'notConnected' })],
      { target: 50, current: undefined },
    ],
    ['the sensor alone', [cylinder], undefined],
  ])('%s', (_, features, parts) => expect(partsOf(home(...features))['heating.dhw.water_heater']).toEqual(parts));
});

/** `feature property=value`, `feature command {…}`, `unchanged`, or the sentence of the refusal. */
const said = (route: Route): string => {
  switch (route.kind) {
    case 'unchanged':
      return route.kind;
    case 'property':
      return `${route.feature.name.split('.').slice(-2).join('.')} ${route.property}=${String(route.value)}`;
    case 'temperature':
      return `${route.feature.name.split('.').at(-1)} ${route.command.name} ${JSON.stringify(route.args)}`;
    default:
      return route.message;
  }
};

const routed = (
  features: Features,
  part: 'mode' | 'target' | 'preset' | 'current',
  value: string | number,
  remembered: Remembered = {},
): string => {
  const [composite] = compositesOf(features, () => remembered);
  return composite ? said(routeOf(features, composite, part, value, remembered)) : 'no composite';
};

describe('what is written to a climate', () => {
  test('a mode goes by one that the device has', () =>
    expectTable('modesWritten', 12, (now: string, modes: readonly string[], word: string, auto: string | null) =>
      routed(home(mode(now, modes)), 'mode', word, auto === null ? {} : { auto }),
    ));

  test.each<[what: string, features: readonly Feature[], value: number, goes: string]>([
    ['the program in force', [inForce('normal'), normal], 22, 'programs.normal temperature=22'],
    ['what is shown', [inForce('normal'), normal], 20, 'unchanged'],
    [
      'a program without a temperature',
      [inForce('standby'), normal, standby],
      22,
      'the program standby, which is in force, has no temperature that can be set; those that have one: normal',
    ],
    [
      'a program whose temperature is fixed',
      [inForce('eco'), normal, eco(true)],
      22,
      'the program eco, which is in force, has no temperature that can be set; those that have one: normal',
    ],
    [
      'a program that the device does not have',
      [inForce('holiday'), normal],
      22,
      'the program holiday, which is in force, has no temperature that can be set; those that have one: normal',
    ],
    [
      'an override',
      [sensor('error'), room('normal'), roomProgram, tillNext(false)],
      22.3,
      'manualTillNextSchedule activate {"temperature":22.5}',
    ],
    [
      'an override in force',
      [sensor('error'), room('normal'), roomProgram, tillNext(true)],
      22,
      'manualTillNextSchedule setTemperature {"targetTemperature":22}',
    ],
    ['what the room shows', [sensor('error'), room('normal'), roomProgram, tillNext(false)], 20.5, 'unchanged'],
    ['on whose nearest step it is', [sensor('error'), room('normal'), roomProgram, tillNext(false)], 20.6, 'unchanged'],
    ['a room without an override', [sensor('error'), room('normal'), roomProgram], 21, 'programs.normalHeating temperature=21'],
  ])('target: %s', (_, features, value, goes) => expect(routed(home(...features), 'target', value)).toBe(goes));

  test('an override with a time of its own gets its default', () => {
    const manual = feature(
      `${R}.quickmodes.manual`,
      { active: false, defaultDuration: 120 },
      commandOf('activate', { temperature: ['number', LIMITS], duration: ['number'] }),
      commandOf('deactivate'),
    );
    expect(routed(home(sensor('error'), room('normal'), roomProgram, manual), 'target', 22)).toBe(
      'manual activate {"temperature":22,"duration":120}',
    );
    const unknown = feature(
      `${R}.quickmodes.manual`,
      { active: false },
      commandOf('activate', { temperature: ['number', LIMITS], duration: ['number'] }),
    );
    expect(routed(home(sensor('error'), room('normal'), roomProgram, unknown), 'target', 22)).toBe('programs.normalHeating temperature=22');
  });

  test.each<[features: readonly Feature[], value: string, goes: string]>([
    [[eco(false)], 'eco', 'programs.eco active=true'],
    [[eco(true)], 'eco', 'unchanged'],
    [[eco(true)], 'none', 'programs.eco active=false'],
    [[eco(false)], 'none', 'unchanged'],
    [[eco(false)], 'party', 'party is not one of none, eco, the presets of this device'],
    [
      [sensor('error'), room('normal'), roomProgram, tillNext(false)],
      'manualTillNextSchedule',
      'manualTillNextSchedule activate {"temperature":20.5}',
    ],
    [[sensor('error'), room('normal'), roomProgram, tillNext(true)], 'none', 'quickmodes.manualTillNextSchedule active=false'],
  ])('preset %#: %s', (features, value, goes) => expect(routed(home(...features), 'preset', value)).toBe(goes));

  test('what only shows cannot be written', () => {
    const features = home(normal, feature(`${C}.sensors.temperature.room`, { status: 'connected', value: 21 }));
    expect(routed(features, 'current', 20)).toBe('current of heating.circuits.0.climate cannot be written; use target/set');
  });
});

test('what is written to a water heater', () => {
  const features = home(waterMode('efficient', ['efficientWithMinComfort', 'efficient', 'off']), waterTarget);
  expectTable('waterHeaterWrites', 5, (part: 'mode' | 'target' | 'current', value: string | number) => routed(features, part, value));
  const four = home(waterMode('off', ['balanced', 'comfort', 'eco', 'off']), waterTarget);
  expect(routed(four, 'mode', 'high_demand')).toBe('modes.active value=comfort');
  const shared = (decider: Feature): string => {
    const all = home(waterTarget, decider);
    const water = compositesOf(all, () => ({})).at(-1);
    return water ? said(routeOf(all, water, 'mode', 'off', {})) : 'no composite';
  };
  expect(shared(mode('dhw', ['standby', 'dhw']))).toBe(
    `mode of heating.dhw.water_heater cannot be written; use ${C}.operating.modes.active`,
  );
  expect(shared(feature('heating.dhw', { active: true }))).toBe('mode of heating.dhw.water_heater cannot be written; use target/set');
});

describe('over every device', () => {
  const all = allDevices().flatMap(({ name, features }) => {
    const map = home(...features);
    return compositesOf(map, () => ({})).map((composite) => ({ device: name, features: map, composite }));
  });

  test('what a part shows changes nothing when it is written, unless it only shows', () => {
    expectFound(all.length, 17);
    for (const { device, features, composite } of all) {
      for (const [part, value] of composite.parts) {
        if (value === undefined || part === 'current' || part === 'action') continue;
        const route = routeOf(features, composite, part, value, {});
        const same = route.kind === 'property' && route.feature.properties.get(route.property)?.value === route.value;
        expect(same || route.kind === 'unchanged', `${device} ${composite.name} ${part}=${value}: ${said(route)}`).toBe(true);
      }
    }
  });

  test('every word that is offered leads to a command', () => {
    for (const { device, features, composite } of all) {
      const words = [
        ...composite.modes.map((word) => ['mode', word] as const),
        ...composite.presets.map((word) => ['preset', word] as const),
      ];
      for (const [part, word] of words)
        expect(routeOf(features, composite, part, word, {}).kind, `${device} ${composite.name} ${part} ${word}`).not.toBe('refused');
    }
  });

  test('no topic is that of a feature', () => {
    for (const { features, composite } of all) {
      for (const { topic } of compositeMessages('b', 'd', composite)) {
        const path = topic.slice('b/d/'.length).replaceAll('/', '.');
        expect(features.get(path.slice(0, path.lastIndexOf('.')))?.properties.size ?? 0).toBe(0);
      }
    }
  });
});

test.each(['boiler', 'rooms'] as const)('the composites of the %s follow from no feature but those that are said to be parts', (name) => {
  const all = fixtureDevice(name).map((feature) => [feature.name, feature] as const);
  const whole = compositesOf(new Map(all), () => ({}));
  expect(whole.length).toBeGreaterThan(0);
  for (const [other] of all.filter(([one]) => !isPartOfComposite(one)))
    expect(compositesOf(new Map(all.filter(([one]) => one !== other)), () => ({}))).toEqual(whole);
});
