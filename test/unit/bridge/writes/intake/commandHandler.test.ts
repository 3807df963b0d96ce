import { describe, expect, test } from 'vitest';
import type { CommandResult } from '../../../../../src/bridge/writes/request/commandRequest.ts';
import { featureOf } from '../../../../support/devices/features.ts';
import { CommandWorld, failure } from '../../../../support/execution/commandWorld.ts';
import { commandOf, scheduleOf } from '../../../../support/schedules/commands.ts';

const CURVE = 'home/heating/curve';
const SCHEDULE = 'home/heating/schedule';
const BOTH = { slope: ['number'], shift: ['number'] } as const;
const curve = (slope = 1.4, shift = 2) =>
  featureOf('heating.curve', { slope: { value: slope }, shift: { value: shift } }, { commands: new Map([commandOf('setCurve', BOTH)]) });

const statuses = (results: readonly Pick<CommandResult, 'status' | 'code'>[]): readonly string[] =>
  results.map(({ status, code }) => [status, code].filter((part) => part !== undefined).join(' '));

describe('a command', () => {
  test('has its results at its reply address, and they say what it was about', async () => {
    const world = new CommandWorld([curve()]);
    const results = world.submit(`${CURVE}/slope/set`, '{"value":1.2,"id":7}', 7);
    await world.clock.pass(60_000);
    expect(results).toMatchObject([
      { id: 7, device: 'home', feature: 'heating.curve', command: 'setCurve', status: 'accepted' },
      { id: 7, device: 'home', feature: 'heating.curve', command: 'setCurve', status: 'applied', rev: expect.any(String) },
    ]);
  });

  test('that is not shown in time says its status before why', async () => {
    const world = new CommandWorld([curve()]);
    const results = world.submit(`${CURVE}/call/setCurve`, '{"slope":1.2,"shift":2}');
    await world.clock.pass(1000);
    world.platform.set('heating.curve', curve());
    await world.clock.pass(120_000);
    expect(Object.keys(JSON.parse(JSON.stringify(results.at(-1)))).join(' ')).toBe('device feature command status code message rev');
  });

  test('is stored before it is sent, shown before it is answered, and stored as answered when its result has arrived', async () => {
    const world = new CommandWorld([curve()]);
    world.submit(`${CURVE}/call/setCurve`, '{"slope":1.2,"shift":2}');
    await world.clock.pass(60_000);
    expect(world.steps).toEqual([
      'stored sent 1',
      'call setCurve {"slope":1.2,"shift":2}',
      'stored accepted 1',
      'accepted',
      'result accepted',
      'read',
      'result applied',
      'stored delivered 1',
    ]);
  });

  /** Weeks that wait for each other, each kept until its answer. */
  const submitWeeks = (world: CommandWorld): void => {
    const address = { kind: 'set', device: 'home', path: ['heating', 'schedule'] } as const;
    const replyTo = world.replyTo();
    for (const end of ['20:00', '21:00', '22:00'])
      world.handler.submit({
        ...{ source: SCHEDULE, replyTo, address, target: world.parser.resolve(address), atMs: 0 },
        text: `{"mon":[{"start":"06:00","end":"${end}","mode":"normal"}]}`,
        queued: { answered: ({ status }) => void world.steps.push(`kept ${status}`), end: () => undefined },
      });
  };

  test('that replaces many others: their answers are kept together, as each wait for the disk holds up all accounts, and then sent', async () => {
    const world = new CommandWorld([scheduleOf()]);
    submitWeeks(world);
    await world.clock.pass(60_000);
    const ofReplaced = world.steps.filter((step) => step.endsWith('superseded'));
    expect(ofReplaced).toEqual(['kept superseded', 'kept superseded', 'result superseded', 'result superseded']);
  });

  test('that is none with others and waits behind them at a stop: all are answered at once, kept together', async () => {
    const world = new CommandWorld([curve()]);
    const address = { kind: 'call', device: 'home', path: ['heating', 'curve'], command: 'setCurve' } as const;
    const replyTo = world.replyTo();
    for (const slope of [1.1, 1.2, 1.3])
      world.handler.submit({
        ...{ source: CURVE, replyTo, address, target: world.parser.resolve(address), atMs: 0 },
        text: `{"slope":${slope},"shift":2}`,
        queued: { answered: ({ status }) => void world.steps.push(`kept ${status}`), end: () => undefined },
      });
    world.stop.abort();
    await world.handler.idle();
    expect(world.steps).toEqual([...Array(3).fill('kept failed'), ...Array(3).fill('result failed')]);
    expect(statuses(replyTo.results)).toEqual(Array(3).fill('failed stopping'));
  });

  test('that waits with many others at a stop: their answers are kept together, so that thousands do not hold it up', async () => {
    const world = new CommandWorld([scheduleOf()]);
    submitWeeks(world);
    world.stop.abort();
    await world.handler.idle();
    expect(world.steps).toEqual([...Array(3).fill('kept failed'), ...Array(3).fill('result failed')]);
  });

  test('that does not name all that it sends is completed by a record that is read first', async () => {
    const world = new CommandWorld([curve()]);
    await world.clock.pass(5_001);
    world.platform.set('heating.curve', curve(1.4, 4));
    world.submit(`${CURVE}/slope/set`, '1.2');
    await world.clock.pass(1000);
    expect(world.steps.slice(0, 3)).toEqual(['read', 'stored sent 1', 'call setCurve {"slope":1.2,"shift":4}']);
  });

  test('for a feature that was not read yet begins anew after the first read, which several share', async () => {
    const world = new CommandWorld([curve()], false);
    const all = [world.submit(`${CURVE}/call/setCurve`, '{"slope":1,"shift":1}'), world.submit(`${CURVE}/call/nothing`, '{}')];
    await world.clock.pass(1000);
    expect(all.map(statuses)).toEqual([['accepted'], ['rejected unknown_command']]);
    expect(world.steps.filter((step) => step === 'read')).toHaveLength(1);
  });

  test.each([
    ['home/heating/curve/slope/set', '1.4', 'unchanged'],
    ['cellar/heating/curve/set', '1', 'rejected unknown_device'],
    ['home/heating/curv/set', '1', 'rejected unknown_feature'],
    ['home/heating/curv/set', '{"slope":', 'rejected invalid'],
    ['home/heating/curve/call/setSlope', '1', 'rejected unknown_command'],
    ['home/heating/curve/until/set', 'now', 'rejected no_end'],
    ['home/heating/curve/until/set', 'soon', 'rejected invalid'],
  ])('to %s with %s: %s, at no cost', async (path, text, expected) => {
    const world = new CommandWorld([curve()]);
    const results = world.submit(path, text);
    await world.clock.pass(1000);
    expect(statuses(results)).toEqual([expected]);
    expect(world.steps).toEqual([`result ${expected.split(' ')[0]}`]);
  });
});

describe('a call', () => {
  test('that the platform refused has failed, and the next command goes', async () => {
    const world = new CommandWorld([curve()]);
    world.failures.push(failure('validation', 'no'));
    const [first, second] = [1, 2].map((slope) => world.submit(`${CURVE}/call/setCurve`, `{"slope":${slope},"shift":2}`));
    await world.clock.pass(60_000);
    expect(statuses(first ?? [])).toEqual(['failed validation']);
    expect(statuses(second ?? [])).toEqual(['accepted', 'applied']);
    expect(world.steps.slice(0, 6)).toEqual([
      'stored sent 1',
      'call setCurve {"slope":1,"shift":2}',
      'failed validation',
      'stored failed 1',
      'result failed',
      'stored delivered 1',
    ]);
  });

  test('whose answer got lost is never repeated: the platform is asked what it shows', async () => {
    const world = new CommandWorld([curve()]);
    world.failures.push(failure('timeout', 'unknown'));
    const results = world.submit(`${CURVE}/call/setCurve`, '{"slope":1,"shift":2}');
    await world.clock.pass(100_000);
    expect(statuses(results)).toEqual(['failed unknown_outcome']);
    expect(world.steps.filter((step) => step.startsWith('call'))).toHaveLength(1);
    expect(world.steps.filter((step) => step === 'read').length).toBeGreaterThan(1);
  });

  test('that ends in a fault of the bridge ends its own command, and no other', async () => {
    const world = new CommandWorld([curve()]);
    world.failures.push(new TypeError('undefined is not a function'));
    const results = world.submit(`${CURVE}/call/setCurve`, '{"slope":1,"shift":2}');
    await world.clock.pass(1000);
    expect(statuses(results)).toEqual(['failed internal']);
    expect(world.faults).toHaveLength(1);
    const next = world.submit(`${CURVE}/call/setCurve`, '{"slope":2,"shift":2}');
    await world.clock.pass(100_000);
    expect(statuses(next)).toEqual(['accepted', 'applied']);
  });

  test('is not made after a stop', async () => {
    const world = new CommandWorld([curve()]);
    world.stop.abort();
    const results = world.submit(`${CURVE}/slope/set`, '1.2');
    await world.clock.pass(1000);
    expect(statuses(results)).toEqual(['failed stopping']);
    expect(world.steps).toEqual(['result failed']);
  });
});

test('while the disk keeps nothing, a write with an end is refused and not sent, and one without goes', async () => {
  const world = new CommandWorld([curve()]);
  world.isKept = false;
  const temporary = world.submit(`${CURVE}/call/setCurve`, '{"value":{"slope":1,"shift":2},"for":"1h"}');
  await world.clock.pass(60_000);
  expect([statuses(temporary), world.ends.allRunning()]).toEqual([['rejected end_not_kept'], []]);
  expect(world.steps.filter((step) => step.startsWith('call'))).toEqual([]);
  const lasting = world.submit(`${CURVE}/call/setCurve`, '{"slope":1,"shift":2}');
  await world.clock.pass(60_000);
  expect(statuses(lasting)).toEqual(['accepted', 'applied']);
});

describe('a feature that the lists leave out costs a command two reads, at a clock that moves as a real one,', () => {
  const leftOut = (): CommandWorld => {
    const world = new CommandWorld([curve()]);
    const { elapsedMs } = world.clock;
    let looks = 0;
    world.clock.elapsedMs = () => {
      looks += 1;
      // What no end would stop fails here, and does not hang.
      if (looks > 10_000) throw new Error('the clock is asked without end');
      return elapsedMs() + looks * 0.001;
    };
    return world;
  };
  const readsOf = ({ steps }: CommandWorld): number => steps.filter((step) => step === 'read').length;

  test.each([
    ['slope/set', '1.3', 'rejected unknown_feature'],
    ['slope/set', '1.4', 'unchanged'],
  ])('%s %s: %s', async (leaf, text, expected) => {
    const world = leftOut();
    await world.clock.pass(10_000);
    world.platform.clear();
    const results = world.submit(`${CURVE}/${leaf}`, text);
    await world.clock.pass(1000);
    expect([statuses(results), readsOf(world)]).toEqual([[expected], 2]);
  });

  test('also where it was left out after a write of which the answer was lost', async () => {
    const world = leftOut();
    world.failures.push(failure('timeout', 'unknown'));
    world.submit(`${CURVE}/call/setCurve`, '{"slope":1,"shift":2}');
    await world.clock.pass(1000);
    world.platform.clear();
    await world.clock.pass(100_000);
    const reads = readsOf(world);
    const results = world.submit(`${CURVE}/slope/set`, '1.3');
    await world.clock.pass(1000);
    expect([statuses(results), readsOf(world) - reads]).toEqual([['rejected unknown_feature'], 2]);
  });
});

const QUICK = { activate: { temperature: ['number'], duration: ['number', { enum: [60, 120, 180] }] }, deactivate: {} } as const;
const manual = (active = false, duration = 120) =>
  featureOf(
    'rooms.0.quickmodes.manual',
    { active: { value: active }, temperature: { value: 20 }, duration: { value: duration } },
    { commands: new Map([commandOf('activate', QUICK.activate), commandOf('deactivate', QUICK.deactivate)]) },
  );
const silent = () =>
  featureOf('silent', { active: { value: true } }, { commands: new Map([commandOf('activate', { timeout: ['number', {}, false] })]) });
/** Its time counts in hours, as that of a ventilation that is shut for a while. */
const shutdown = () => {
  const properties = { active: { value: false }, defaultRuntime: { value: 8, unit: 'hours' } };
  const hours = { timeout: ['number', { min: 1, max: 12, stepping: 1 }, false] } as const;
  return featureOf('shutdown', properties, { commands: new Map([commandOf('activate', hours), commandOf('deactivate', {})]) });
};
const hysteresis = () => {
  const commands = new Map([commandOf('setValue', { value: ['number'] }), commandOf('setOn', { on: ['number'] })]);
  return featureOf('hysteresis', { value: { value: 5 }, on: { value: 2 } }, { commands });
};

describe('a write of properties', () => {
  test.each([
    [
      'fills the end of the device in place of its default',
      manual(),
      '{"value":{"active":true},"for":"3h"}',
      'activate {"temperature":20,"duration":180}',
    ],
    [
      'ends itself what lasts longer than asked for',
      manual(),
      '{"value":{"active":true},"for":"45m"}',
      'activate {"temperature":20,"duration":120}',
    ],
    ['gives a program that runs another end', silent(), '{"value":true,"for":"3h"}', 'activate {"timeout":180}'],
    ['fills the hours of a device that counts in hours', shutdown(), '{"value":true,"for":"3h"}', 'activate {"timeout":3}'],
    ['never takes minutes for hours: it ends such a time itself', shutdown(), '{"value":true,"for":"10m"}', 'activate {}'],
    ['takes the value of an envelope as the property value', hysteresis(), '{"value":6}', 'setValue {"value":6}'],
  ])('%s', async (_, feature, text, expected) => {
    const world = new CommandWorld([feature]);
    const results = world.submit(`home/${feature.name.replaceAll('.', '/')}/set`, text);
    await world.clock.pass(70_000);
    expect([world.steps.find((step) => step.startsWith('call')), results[0]?.status]).toEqual([`call ${expected}`, 'accepted']);
  });
});

describe('a program that the device ends by itself', () => {
  const MANUAL = 'home/rooms/0/quickmodes/manual';
  /** Writes, and gives the last answer, the calls of this write and in how many minutes the program ends from here. */
  const tell = (world: CommandWorld) => async (path: string, text: string) => {
    const before = world.steps.length;
    const results = world.submit(`${MANUAL}/${path}`, text);
    await world.clock.pass(1000);
    const calls = world.steps.slice(before).filter((step) => step.startsWith('call'));
    const duration = Number(/"duration":(\d+)/.exec(calls.join(' '))?.[1] ?? 120);
    if (calls.length > 0) world.platform.set('rooms.0.quickmodes.manual', manual(!/deactivate/.test(calls.join(' ')), duration));
    const minutes = world.ends.allRunning().map(({ untilMs }) => Math.round((untilMs - world.clock.now()) / 60_000));
    await world.clock.pass(60_000);
    return [results.at(-1)?.status, ...calls, ...minutes];
  };

  test.each([
    ['active/set', '{"value":true,"for":"3h"}'],
    ['call/activate', '{"temperature":20,"duration":180}'],
  ])('and that was to end sooner from here no longer does after %s %s', async (path, text) => {
    const write = tell(new CommandWorld([manual()]));
    expect(await write('active/set', '{"value":true,"for":"45m"}')).toEqual([
      'applied',
      'call activate {"temperature":20,"duration":120}',
      45,
    ]);
    expect(await write(path, text)).toEqual(['applied', 'call activate {"temperature":20,"duration":180}']);
  });

  test('and that runs is ended from here where it is asked for a shorter time, by the command that ends it', async () => {
    const write = tell(new CommandWorld([manual(true)]));
    expect(await write('active/set', '{"value":true,"for":"45m"}')).toEqual(['applied', 45]);
    expect(await write('active/set', '{"value":true,"for":"20m"}')).toEqual(['applied', 20]);
    expect(await write('active/set', 'true')).toEqual(['unchanged', 19]);
    expect(await write('until/set', 'now')).toEqual(['applied', 'call deactivate {}']);
  });

  test('and that runs goes on where the disk does not keep that it is to end sooner', async () => {
    const world = new CommandWorld([manual(true)]);
    world.isKept = false;
    const results = world.submit(`${MANUAL}/active/set`, '{"value":true,"for":"45m"}');
    await world.clock.pass(60_000);
    expect([statuses(results), world.ends.allRunning()]).toEqual([['rejected end_not_kept'], []]);
  });

  test('and that runs is ended from here where its circuit is to have its temperature for a shorter time', async () => {
    const [scope, feature] = ['heating.circuits.0', 'heating.circuits.0.quickmodes.manual'];
    const programs = featureOf(`${scope}.operating.programs.active`, { value: { value: 'normal' } });
    const normal = featureOf(`${scope}.operating.programs.normal`, { active: { value: true }, temperature: { value: 21 } });
    const world = new CommandWorld([programs, normal, { ...manual(true), name: feature }]);
    const results = world.submit('home/heating/circuits/0/climate/target/set', '{"value":20,"for":"45m"}');
    await world.clock.pass(1000);
    expect(results).toMatchObject([{ status: 'applied', feature: `${scope}.climate`, through: feature, until: expect.any(String) }]);
    expect(world.ends.allRunning()).toMatchObject([{ feature, command: 'activate' }]);
  });

  test('and that runs is left alone by a value that does not begin it, and by a device that cannot end it', async () => {
    const forced = { activate: QUICK.activate, setDefaultRuntime: { defaultRuntime: ['number'] } } as const;
    const properties = { active: { value: true }, temperature: { value: 20 }, duration: { value: 120 }, defaultRuntime: { value: 30 } };
    const commands = new Map(Object.entries(forced).map(([name, params]) => commandOf(name, params)));
    const world = new CommandWorld([featureOf('rooms.0.quickmodes.manual', properties, { commands })]);
    expect(await tell(world)('active/set', '{"value":true,"for":"45m"}')).toEqual(['unchanged']);
    expect(await tell(world)('defaultRuntime/set', '{"value":30,"for":"45m"}')).toEqual(['unchanged']);
  });
});

test('a holiday that is planned so already costs no command', async () => {
  const day = ['string', { regEx: '^[\\d]{4}-[\\d]{2}-[\\d]{2}$' }] as const;
  const properties = { active: { value: false }, start: { value: '2026-12-01' }, end: { value: '2026-12-11' } };
  const world = new CommandWorld([
    featureOf('holiday', properties, { commands: new Map([commandOf('schedule', { start: day, end: day })]) }),
  ]);
  const results = world.submit('home/holiday/call/schedule', '{"value":{"start":"2026-12-01"},"until":"2026-12-11"}');
  await world.clock.pass(70_000);
  expect([world.steps.filter((step) => step.startsWith('call')), results.map(({ status }) => status)]).toEqual([[], ['unchanged']]);
});

test('the same write to a climate with another end moves the end', async () => {
  const programs = 'heating.circuits.0.operating.programs';
  const setTemperature = commandOf('setTemperature', { targetTemperature: ['number'] });
  const world = new CommandWorld([
    featureOf(`${programs}.active`, { value: { value: 'normal' } }),
    featureOf(
      `${programs}.normal`,
      { active: { value: true }, temperature: { value: 21, unit: 'celsius' } },
      { commands: new Map([setTemperature]) },
    ),
  ]);
  const write = async (span: string) => {
    const results = world.submit('home/heating/circuits/0/climate/target/set', `{"value":22,"for":"${span}"}`);
    await world.clock.pass(1000);
    // What the command writes is shown at once, under the name of the property.
    const normal = world.platform.get(`${programs}.normal`);
    if (normal)
      world.platform.set(normal.name, {
        ...normal,
        properties: new Map([...normal.properties, ['temperature', { type: 'number', unit: 'celsius', value: 22 }]]),
      });
    await world.clock.pass(60_000);
    return [results.at(-1)?.status, world.ends.allRunning().map(({ untilMs }) => Math.round((untilMs - world.clock.now()) / 3_600_000))];
  };
  expect([await write('3h'), await write('5h')]).toEqual([
    ['applied', [3]],
    ['applied', [5]],
  ]);
});

test('parts of a week are decided once in their turn, by one evaluation each', async () => {
  const world = new CommandWorld([scheduleOf()]);
  const target = world.parser.resolve({ kind: 'set', device: 'home', path: ['heating', 'schedule'] });
  if (target.kind !== 'feature') throw new Error('the schedule is not known');
  let resolved = 0;
  const choose = () => {
    resolved += 1;
    return { kind: 'unchanged', from: ['heating.schedule'], feature: undefined, about: { envelope: {} } } as const;
  };
  const request = {
    source: SCHEDULE,
    replyTo: world.replyTo(),
    address: { kind: 'set', device: 'home', path: [] },
    text: '',
    atMs: 0,
  } as const;
  world.handler.enqueue({ ...request, target }, { feature: 'heating.schedule', choose });
  await world.clock.pass(1000);
  expect(resolved).toBe(1);
});

test('a temporary write ends when its reply address asks for it', async () => {
  const world = new CommandWorld([curve()]);
  world.submit(`${CURVE}/slope/set`, '{"value":1.2,"for":"2h"}');
  await world.clock.pass(60_000);
  const results = world.submit(`${CURVE}/until/set`, 'now');
  await world.clock.pass(60_000);
  expect(statuses(results)).toEqual(['accepted', 'applied']);
  expect(world.state.shown('heating.curve')?.properties.get('slope')?.value).toBe(1.4);
  expect(world.ends.all()).toEqual([]);
});
