import { describe, expect, test } from 'vitest';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import { at, type Caller, isRecord, startCaller } from './simulatorCaller.ts';

const SCHEDULE = 'heating.circuits.0.heating.schedule';
const CURVE = 'heating.circuits.0.heating.curve';
const COMFORT = 'heating.circuits.0.operating.programs.comfort';
const HOLIDAY = 'heating.operating.programs.holiday';
const SUCCESS = { data: { success: true, message: null, reason: null } };
/** What follows from a value is shown by a home that lives; in this zone whatever the machine's. */
// On a Monday at night, when no week asks for comfort.
const LIVING = { home: { ...defaultHome, timeZone: 'UTC' }, now: () => Date.UTC(2026, 0, 5, 3) };
const NOT_EXECUTABLE = {
  statusCode: 400,
  errorType: 'DEVICE_COMMUNICATION_ERROR',
  extendedPayload: { httpStatusCode: 'NotFound', code: '404', reason: 'COMMAND_NOT_FOUND' },
};

type Entry = Readonly<Record<string, unknown>>;

const entry = (start: string, end: string, mode = 'normal', position = 0): Entry => ({ start, end, mode, position });
const EMPTY = { mon: [], tue: [], wed: [], thu: [], fri: [], sat: [], sun: [] };

const run = async (caller: Caller, feature: string, command: string, body: unknown = {}, device = '0') =>
  caller.post(caller.path(device, feature, command), body);

const details = (body: unknown): unknown => {
  const list = at(body, 'extendedPayload.details');
  return Array.isArray(list) ? list.map((detail) => at(detail, 'path')) : undefined;
};

describe('setSchedule', () => {
  test('replaces the whole week and keeps positions as sent', async () => {
    const caller = await startCaller();
    const before = await caller.values(SCHEDULE);
    const week = { ...EMPTY, wed: [entry('17:00', '24:00', 'comfort', 4), entry('00:00', '17:00', 'normal', 1)] };
    expect((await run(caller, SCHEDULE, 'setSchedule', { newSchedule: week })).body).toEqual(SUCCESS);
    expect(await caller.values(SCHEDULE)).toMatchObject({ entries: week });
    expect((await run(caller, SCHEDULE, 'resetSchedule')).body).toEqual(SUCCESS);
    expect(await caller.values(SCHEDULE)).toEqual(before);
  });

  test('a week that breaks rules is refused with the place of each, and nothing is written', async () => {
    const caller = await startCaller();
    const before = await caller.values(SCHEDULE);
    const week = JSON.stringify({ ...EMPTY, sun: undefined, mon: [entry('06:05', '07:00', 'on')] }).replace('{', '{"__proto__":[],');
    const { status, body } = await run(caller, SCHEDULE, 'setSchedule', `{"newSchedule":${week}}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ statusCode: 400, errorType: 'VALIDATION_ERROR' });
    expect(details(body)).toEqual(['__proto__', 'mon/0/mode', 'mon/0/start', 'sun'].map((place) => `/newSchedule/${place}`));
    expect(await caller.values(SCHEDULE)).toEqual(before);
  });

  test('two equal entries pass where overlap is allowed', async () => {
    const caller = await startCaller();
    const week = { ...EMPTY, mon: [entry('00:00', '24:00', 'top', 0), entry('00:00', '24:00', 'top', 1)] };
    expect((await run(caller, 'heating.dhw.schedule', 'setSchedule', { newSchedule: week })).body).toEqual(SUCCESS);
  });

  test('a day that breaks the rules but is the one shown passes unchanged', async () => {
    const caller = await startCaller();
    const odd = [entry('00:00', '23:59')];
    caller.control({ command: 'set', feature: SCHEDULE, property: 'entries', value: { ...EMPTY, mon: odd } });
    const week = { ...EMPTY, mon: odd, tue: [entry('06:00', '07:00')] };
    expect((await run(caller, SCHEDULE, 'setSchedule', { newSchedule: week })).body).toEqual(SUCCESS);
    expect(details((await run(caller, SCHEDULE, 'setSchedule', { newSchedule: { ...week, tue: odd } })).body)).toEqual([
      '/newSchedule/tue/0/end',
    ]);
  });

  test('is answered at the relative address of the record too', async () => {
    const caller = await startCaller();
    const { body } = await caller.get(caller.path('0', SCHEDULE));
    const seen = await caller.post(`/iot${at(body, 'commands.setSchedule.uri')}`, { newSchedule: EMPTY });
    expect(seen.body).toEqual(SUCCESS);
  });
});

describe('what is asked of a request', () => {
  test('must be JSON of its parameters alone', async () => {
    const caller = await startCaller();
    const refused: readonly (readonly [body: string, type: string, errorType: string])[] = [
      ['{}', 'text/plain', 'UNSUPPORTED_MEDIA_TYPE'],
      ['a=1', 'application/x-www-form-urlencoded', 'UNSUPPORTED_MEDIA_TYPE'],
      ...['{', '', '[]', 'null', '{"newSchedule":{},"x":1}', '{}'].map((body) => [body, 'application/json', 'VALIDATION_ERROR'] as const),
    ];
    for (const [body, type, errorType] of refused) {
      const seen = await caller.post(caller.path('0', SCHEDULE, 'setSchedule'), body, { 'content-type': type });
      expect(seen.body, body).toMatchObject({ statusCode: 400, errorType });
    }
  });

  test.each<[string, string, string, unknown, string[]]>([
    ['under the least', CURVE, 'setCurve', { shift: -14, slope: 1 }, ['/shift']],
    ['over the most', CURVE, 'setCurve', { shift: 41, slope: 3.6 }, ['/shift', '/slope']],
    ['one of two', CURVE, 'setCurve', { slope: 1.4 }, ['/shift']],
    ['no date', HOLIDAY, 'schedule', { start: '1.1.2027', end: '2027-01-02' }, ['/start']],
    ['the same day', HOLIDAY, 'schedule', { start: '2027-01-02', end: '2027-01-02' }, ['/end']],
    ['an end before the start', HOLIDAY, 'schedule', { start: '2027-01-02', end: '2027-01-01' }, ['/end']],
  ])('%s is refused with its place', async (_what, feature, command, body, paths) => {
    const caller = await startCaller();
    expect(details((await run(caller, feature, command, body)).body)).toEqual(paths);
  });

  test('a step is counted from the least, with the noise that floating point has', async () => {
    const caller = await startCaller();
    for (const slope of [0.2, 0.3, 0.7, 1.1, 1.4, 2.3, 3.5]) {
      expect((await run(caller, CURVE, 'setCurve', { shift: 0, slope })).body).toEqual(SUCCESS);
      expect(await caller.values(CURVE)).toEqual({ shift: 0, slope });
    }
  });
});

describe('effects', () => {
  test('the old value is shown until the delay is over, then the new one with a new timestamp', async () => {
    let now = Date.UTC(2026, 10, 21, 12);
    const caller = await startCaller({ effectDelayMs: 5000, now: () => now });
    const before = await caller.get(caller.path('0', CURVE));
    expect((await run(caller, CURVE, 'setCurve', { shift: 3, slope: 1 })).body).toEqual(SUCCESS);
    now += 4999;
    expect((await caller.get(caller.path('0', CURVE))).body).toEqual(before.body);
    now += 1;
    const after = await caller.get(caller.path('0', CURVE));
    expect(await caller.values(CURVE)).toEqual({ shift: 3, slope: 1 });
    expect(at(after.body, 'timestamp')).toBe(new Date(now).toISOString());
    caller.control({ command: 'lag', ms: 0 });
    await run(caller, CURVE, 'setCurve', { shift: 4, slope: 1 });
    expect(await caller.values(CURVE)).toEqual({ shift: 4, slope: 1 });
  });

  test('the same value again keeps the timestamp', async () => {
    const caller = await startCaller();
    const before = await caller.get(caller.path('0', CURVE));
    await run(caller, CURVE, 'setCurve', await caller.values(CURVE));
    expect((await caller.get(caller.path('0', CURVE))).body).toEqual(before.body);
  });

  test.each<[string, string, unknown, string, Record<string, unknown>]>([
    ['heating.circuits.0.temperature.levels', 'setMax', { temperature: 50 }, '', { min: 20, max: 50 }],
    ['heating.dhw.temperature.main', 'setTargetTemperature', { temperature: 52 }, '', { value: 52 }],
    ['heating.dhw.temperature.hysteresis', 'setHysteresisSwitchOnValue', { hysteresis: 6 }, '', { value: 5, switchOnValue: 6 }],
    ['heating.dhw.operating.modes.active', 'setMode', { mode: 'off' }, 'heating.dhw', { active: false, status: 'off' }],
    ['heating.circuits.0.operating.modes.active', 'setMode', { mode: 'standby' }, SCHEDULE, { active: false }],
    ['heating.circuits.0', 'setName', { name: 'Ground' }, 'heating.circuits.0.name', { name: 'Ground' }],
    ['heating.circuits.0.name', 'setName', { name: 'Ground' }, 'heating.circuits.0', { name: 'Ground' }],
    ['heating.circuits.1', 'setName', { name: 'Top' }, 'heating.circuits.1.name', { name: 'Upstairs' }],
    ['heating.dhw.hygiene', 'enable', {}, '', { enabled: true }],
    ['device.time.daylightSaving', 'activate', { begin: '28-03', end: '31-10' }, '', { active: true, begin: '28-03', end: '31-10' }],
    ['device.time.daylightSaving', 'deactivate', {}, '', { active: false }],
    ['ventilation.operating.modes.active', 'setMode', { mode: 'standby' }, 'ventilation.operating.state', { level: 'standby' }],
    ['ventilation.quickmodes.forcedLevelFour', 'activate', {}, 'ventilation.operating.state', { level: 'levelFour' }],
    ['ventilation.quickmodes.forcedLevelFour', 'setDefaultRuntime', { defaultRuntime: 60 }, '', { defaultRuntime: 60 }],
  ])('%s %s', async (feature, command, body, shownAt, values) => {
    const caller = await startCaller(LIVING);
    expect((await run(caller, feature, command, body)).body).toEqual(SUCCESS);
    expect(await caller.values(shownAt || feature)).toMatchObject(values);
  });

  test('a program is activated only while off and deactivated only while on; the program in force follows', async () => {
    const caller = await startCaller(LIVING);
    const program = 'heating.circuits.0.operating.programs.active';
    expect((await run(caller, COMFORT, 'deactivate')).body).toMatchObject(NOT_EXECUTABLE);
    expect((await run(caller, COMFORT, 'activate', { temperature: 24 })).body).toEqual(SUCCESS);
    expect(await caller.values(COMFORT)).toMatchObject({ active: true, temperature: 24 });
    expect(await caller.values(program)).toEqual({ value: 'comfort' });
    const { body } = await caller.get(caller.path('0', COMFORT));
    expect([at(body, 'commands.activate.isExecutable'), at(body, 'commands.deactivate.isExecutable')]).toEqual([false, true]);
    expect((await run(caller, COMFORT, 'activate')).body).toMatchObject(NOT_EXECUTABLE);
    expect((await run(caller, COMFORT, 'deactivate')).body).toEqual(SUCCESS);
    expect(await caller.values(program)).not.toEqual({ value: 'comfort' });
  });

  test('a holiday: its end can be changed only while it is planned; giving it up empties it', async () => {
    let now = Date.UTC(2026, 10, 21, 12);
    const caller = await startCaller({ ...LIVING, now: () => now });
    expect((await run(caller, HOLIDAY, 'changeEndDate', { end: '2026-12-03' })).body).toMatchObject(NOT_EXECUTABLE);
    expect((await run(caller, HOLIDAY, 'schedule', { start: '2026-11-22', end: '2026-12-01' })).body).toEqual(SUCCESS);
    expect(await caller.values(HOLIDAY)).toEqual({ active: false, start: '2026-11-22', end: '2026-12-01' });
    expect(details((await run(caller, HOLIDAY, 'changeEndDate', { end: '2026-11-21' })).body)).toEqual(['/end']);
    expect((await run(caller, HOLIDAY, 'changeEndDate', { end: '2026-12-03' })).body).toEqual(SUCCESS);
    now += 2 * 86_400_000;
    const { access_token } = caller.issueTokens();
    const seen = await caller.get(caller.path('0', HOLIDAY), { authorization: `Bearer ${access_token}` });
    expect(at(seen.body, 'properties.active.value')).toBe(true);
    expect(at(seen.body, 'properties.end.value')).toBe('2026-12-03');
  });

  test('giving up a holiday says “none” in the feature’s own way', async () => {
    const caller = await startCaller();
    for (const [feature, none] of [
      [HOLIDAY, ''],
      ['heating.operating.programs.holidayAtHome', '2000-01-01'],
    ]) {
      await run(caller, feature ?? '', 'schedule', { start: '2030-01-01', end: '2030-01-02' });
      expect((await run(caller, feature ?? '', 'unschedule')).body).toEqual(SUCCESS);
      expect(await caller.values(feature ?? '')).toEqual({ active: false, start: none, end: none });
    }
  });

  test('a command that is never executable, one of a disabled feature and an unknown one are refused alike', async () => {
    const caller = await startCaller();
    expect((await run(caller, 'heating.compressors.0', 'setActive', { active: true })).body).toMatchObject(NOT_EXECUTABLE);
    expect((await run(caller, 'heating.circuits.2.heating.schedule', 'setSchedule', { newSchedule: EMPTY })).body).toMatchObject(
      NOT_EXECUTABLE,
    );
    expect((await run(caller, CURVE, 'dance')).body).toMatchObject(NOT_EXECUTABLE);
    expect((await run(caller, CURVE, 'constructor')).body).toMatchObject(NOT_EXECUTABLE);
  });

  test('rooms: actors move, rooms come and go', async () => {
    const caller = await startCaller();
    const rooms = 'RoomControl-1';
    const actors = async (room: string) => (await caller.values(room, rooms)).actors;
    const radiator = { actorDeviceId: 'zigbee-0000000000000001' };
    expect((await run(caller, 'rooms.0', 'moveActor', { ...radiator, newRoomId: 1 }, rooms)).body).toEqual(SUCCESS);
    expect(await actors('rooms.0')).toEqual([{ deviceId: '0', heatingCircuit: 0 }]);
    expect(await actors('rooms.1')).toEqual([{ deviceId: 'zigbee-0000000000000002' }, { deviceId: 'zigbee-0000000000000001' }]);
    await run(caller, 'rooms.1', 'removeActor', radiator, rooms);
    await run(caller, 'rooms.1', 'addActor', { actorDeviceId: 'x', heatingCircuit: 1 }, rooms);
    expect(await actors('rooms.1')).toEqual([{ deviceId: 'zigbee-0000000000000002' }, { deviceId: 'x', heatingCircuit: 1 }]);
    expect((await run(caller, 'rooms', 'add', { name: 'Küche 2', type: 'kitchen' }, rooms)).body).toEqual(SUCCESS);
    expect(await caller.values('rooms', rooms)).toEqual({ enabled: ['0', '1', '2'] });
    expect(await caller.values('rooms.2', rooms)).toEqual({ name: 'Küche 2', type: 'kitchen', actors: [] });
    expect((await caller.get(caller.path(rooms, 'rooms.2.schedule'))).status).toBe(200);
    expect((await run(caller, 'rooms.2', 'remove', {}, rooms)).body).toEqual(SUCCESS);
    expect(await caller.values('rooms', rooms)).toEqual({ enabled: ['0', '1'] });
    expect((await caller.get(caller.path(rooms, 'rooms.2.schedule'))).status).toBe(404);
  });

  test('a room’s temperature by hand is there only while it is on', async () => {
    const caller = await startCaller(LIVING);
    const manual = 'rooms.0.quickmodes.manualTillNextSchedule';
    expect((await run(caller, manual, 'setTemperature', { targetTemperature: 22 }, 'RoomControl-1')).body).toMatchObject(NOT_EXECUTABLE);
    await run(caller, manual, 'activate', { temperature: 23.5 }, 'RoomControl-1');
    expect(await caller.values(manual, 'RoomControl-1')).toEqual({ active: true });
    expect(await caller.values('rooms.0.operating.state', 'RoomControl-1')).toMatchObject({ level: 'manual', demand: 'heating' });
    expect((await run(caller, manual, 'setTemperature', { targetTemperature: 22 }, 'RoomControl-1')).body).toEqual(SUCCESS);
  });
});

describe('the device adapts', () => {
  test.each<[string, string, unknown, Record<string, unknown>]>([
    ['heating.dhw.temperature.main', 'setTargetTemperature', { temperature: 60 }, { value: 59 }],
    ['heating.dhw.temperature.main', 'setTargetTemperature', { temperature: 55 }, { value: 56 }],
    ['heating.dhw.operating.modes.active', 'setMode', { mode: 'off' }, { value: 'efficientWithMinComfort' }],
    [
      SCHEDULE,
      'setSchedule',
      { newSchedule: { ...EMPTY, tue: [entry('06:00', '07:00')] } },
      { entries: { ...EMPTY, tue: [entry('06:00', '06:50')] } },
    ],
  ])('%s %s %o', async (feature, command, body, values) => {
    const caller = await startCaller();
    caller.control({ command: 'adapt' });
    expect((await run(caller, feature, command, body)).body).toEqual({
      data: { success: true, message: null, reason: 'WARNING_PARAMETERS_CHANGED' },
    });
    expect(await caller.values(feature)).toMatchObject(values);
    expect((await run(caller, feature, command, body)).body).toEqual(SUCCESS);
  });
});

const TEXTS = [
  ['{4}', '2031-05-06'],
  ['{2}', '25-03'],
] as const;

const legal = (parameter: unknown): unknown => {
  const limits = at(parameter, 'constraints');
  const choices = at(limits, 'enum');
  if (Array.isArray(choices) && choices.length > 0) return choices[0];
  switch (at(parameter, 'type')) {
    case 'number':
      return at(limits, 'min') ?? 0;
    case 'boolean':
      return true;
    case 'Schedule':
      return EMPTY;
    default:
      return TEXTS.find(([part]) => String(at(limits, 'regEx') ?? '').includes(part))?.[1] ?? 'text';
  }
};

test('every executable command of the home takes what its record allows, every other is refused', async () => {
  const caller = await startCaller();
  let tried = 0;
  for (const device of caller.devices) {
    const listed = at((await caller.get(caller.path(device))).body, 'data');
    const names = (Array.isArray(listed) ? listed : []).map((record) => String(at(record, 'feature')));
    for (const feature of names.filter((name) => !name.includes('schedule') || name.includes('heating'))) {
      const { body } = await caller.get(caller.path(device, feature));
      const commands = at(body, 'commands');
      for (const [command, described] of Object.entries(isRecord(commands) ? commands : {})) {
        const params = at(described, 'params');
        const args = Object.fromEntries(
          Object.entries(isRecord(params) ? params : {}).map(([name, parameter]) => [name, legal(parameter)]),
        );
        if ('start' in args) args.start = '2031-05-05';
        const now = await caller.get(caller.path(device, feature));
        if (now.status === 404) continue;
        const executable = at(now.body, `commands.${command}.isExecutable`);
        const seen = await run(caller, feature, command, args, device);
        expect([feature, command, seen.status, seen.text]).toEqual([feature, command, executable === true ? 200 : 400, expect.any(String)]);
        tried++;
      }
    }
  }
  expect(tried).toBeGreaterThan(70);
});
