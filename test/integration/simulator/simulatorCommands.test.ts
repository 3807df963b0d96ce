import { expect, test } from 'vitest';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import { at, type Caller, membersOf, startCaller } from './simulatorCaller.ts';

const SCHEDULE = 'heating.circuits.0.heating.schedule';
const CURVE = 'heating.circuits.0.heating.curve';
const COMFORT = 'heating.circuits.0.operating.programs.comfort';
const HOLIDAY = 'heating.operating.programs.holiday';
const SUCCESS = { data: { success: true, message: null, reason: null } };
/** What follows from a value is shown by a home that lives; in this zone whatever the machine's, on a Monday at night, when no week asks for comfort. */
const LIVING = { home: { ...defaultHome, timeZone: 'UTC' }, now: () => Date.UTC(2026, 0, 5, 3) };
const NOT_EXECUTABLE = { statusCode: 400, errorType: 'DEVICE_COMMUNICATION_ERROR', extendedPayload: { reason: 'COMMAND_NOT_FOUND' } };

const entry = (start: string, end: string, mode = 'normal', position = 0) => ({ start, end, mode, position });
const EMPTY = { mon: [], tue: [], wed: [], thu: [], fri: [], sat: [], sun: [] };

const run = async (caller: Caller, feature: string, command: string, body: unknown = {}) =>
  caller.post(caller.path('0', feature, command), body);

/** The places that a refusal names. */
const details = (body: unknown) => membersOf({ data: at(body, 'extendedPayload.details') }, 'path');

test('setSchedule replaces the whole week; one that breaks rules is refused with the place of each, and nothing is written', async () => {
  const caller = await startCaller();
  const week = { ...EMPTY, wed: [entry('17:00', '24:00', 'comfort', 4), entry('00:00', '17:00', 'normal', 1)] };
  expect((await run(caller, SCHEDULE, 'setSchedule', { newSchedule: week })).body).toEqual(SUCCESS);
  const wrong = { ...EMPTY, sun: undefined, mon: [entry('06:05', '07:00', 'on')] };
  const { body } = await run(caller, SCHEDULE, 'setSchedule', { newSchedule: wrong });
  expect(body).toMatchObject({ statusCode: 400, errorType: 'VALIDATION_ERROR' });
  expect(details(body)).toEqual(['mon/0/mode', 'mon/0/start', 'sun'].map((place) => `/newSchedule/${place}`));
  expect(await caller.values(SCHEDULE)).toMatchObject({ entries: week });
});

test.each<[string, string, string, unknown, string[]]>([
  ['below the minimum', CURVE, 'setCurve', { shift: -14, slope: 1 }, ['/shift']],
  ['one that is missing, one over the most', CURVE, 'setCurve', { slope: 3.6 }, ['/shift', '/slope']],
  ['no date', HOLIDAY, 'schedule', { start: '1.1.2027', end: '2027-01-02' }, ['/start']],
  ['an end before the start', HOLIDAY, 'schedule', { start: '2027-01-02', end: '2027-01-01' }, ['/end']],
])('%s is refused with its place', async (_what, feature, command, body, paths) => {
  expect(details((await run(await startCaller(), feature, command, body)).body)).toEqual(paths);
});

test('a body must be JSON of its parameters alone, a command executable', async () => {
  const caller = await startCaller();
  const plain = await caller.post(caller.path('0', CURVE, 'setCurve'), '{}', { 'content-type': 'text/plain' });
  expect(plain.body).toMatchObject({ statusCode: 400, errorType: 'UNSUPPORTED_MEDIA_TYPE' });
  for (const body of ['{', '', '[]', 'null', '{"shift":1,"slope":1,"x":1}'])
    expect((await run(caller, CURVE, 'setCurve', body)).body, body).toMatchObject({ statusCode: 400, errorType: 'VALIDATION_ERROR' });
  for (const [feature, command] of [
    ['heating.compressors.0', 'setActive'],
    ['heating.circuits.2.heating.schedule', 'setSchedule'],
    [CURVE, 'constructor'],
    [COMFORT, 'deactivate'],
    [HOLIDAY, 'changeEndDate'],
  ] as const)
    expect((await run(caller, feature, command)).body).toMatchObject(NOT_EXECUTABLE);
});

test('the old value is shown until the lag is over, then the new one with a new timestamp', async () => {
  let now = Date.UTC(2026, 10, 21, 12);
  const caller = await startCaller({ effectDelayMs: 5000, now: () => now });
  const before = await caller.get(caller.path('0', CURVE));
  expect((await run(caller, CURVE, 'setCurve', { shift: 3, slope: 2.3 })).body).toEqual(SUCCESS);
  now += 4999;
  expect((await caller.get(caller.path('0', CURVE))).body).toEqual(before.body);
  now += 1;
  const { body } = await caller.get(caller.path('0', CURVE));
  expect([await caller.values(CURVE), at(body, 'timestamp')]).toEqual([{ shift: 3, slope: 2.3 }, new Date(now).toISOString()]);
  caller.control({ command: 'lag', ms: 0 });
  await run(caller, CURVE, 'setCurve', { shift: 4, slope: 1 });
  expect(await caller.values(CURVE)).toEqual({ shift: 4, slope: 1 });
});

test.each<[string, string, unknown, string, Record<string, unknown>]>([
  ['heating.circuits.0.temperature.levels', 'setMax', { temperature: 50 }, '', { min: 20, max: 50 }],
  ['heating.dhw.operating.modes.active', 'setMode', { mode: 'off' }, 'heating.dhw', { active: false, status: 'off' }],
  ['heating.circuits.0.operating.modes.active', 'setMode', { mode: 'standby' }, SCHEDULE, { active: false }],
  ['heating.circuits.0', 'setName', { name: 'Ground' }, 'heating.circuits.0.name', { name: 'Ground' }],
  ['ventilation.quickmodes.forcedLevelFour', 'activate', {}, 'ventilation.operating.state', { level: 'levelFour' }],
  [COMFORT, 'activate', { temperature: 24 }, 'heating.circuits.0.operating.programs.active', { value: 'comfort' }],
  [HOLIDAY, 'schedule', { start: '2026-11-22', end: '2026-12-01' }, '', { active: false, start: '2026-11-22', end: '2026-12-01' }],
])('%s %s takes effect, also where it is shown elsewhere', async (feature, command, body, shownAt, values) => {
  const caller = await startCaller(LIVING);
  expect((await run(caller, feature, command, body)).body).toEqual(SUCCESS);
  expect(await caller.values(shownAt || feature)).toMatchObject(values);
});

test.each<[string, string, unknown, Record<string, unknown>]>([
  ['heating.dhw.temperature.main', 'setTargetTemperature', { temperature: 60 }, { value: 59 }],
  ['heating.dhw.operating.modes.active', 'setMode', { mode: 'off' }, { value: 'efficientWithMinComfort' }],
  [
    SCHEDULE,
    'setSchedule',
    { newSchedule: { ...EMPTY, tue: [entry('06:00', '07:00')] } },
    { entries: { ...EMPTY, tue: [entry('06:00', '06:50')] } },
  ],
])('told to, the device adapts the next command: %s %s', async (feature, command, body, values) => {
  const caller = await startCaller();
  caller.control({ command: 'adapt' });
  const adapted = { data: { success: true, message: null, reason: 'WARNING_PARAMETERS_CHANGED' } };
  expect((await run(caller, feature, command, body)).body).toEqual(adapted);
  expect(await caller.values(feature)).toMatchObject(values);
  expect((await run(caller, feature, command, body)).body).toEqual(SUCCESS);
});
