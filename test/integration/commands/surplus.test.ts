import { expect, test } from 'vitest';
import { HotWaterWorld } from '../../support/execution/hotWaterWorld.ts';
import { HOUR_MS, MINUTE_MS } from '../../support/system/virtualSystem.ts';

const SURPLUS = 'oneTimeCharge/surplus/set';
const CHARGE = { feature: 'heating.dhw.oneTimeCharge', command: 'activate', args: {} };
const started = [{ status: 'accepted' }, { status: 'applied' }];

test('surplus starts a charge, at most two in 24 hours and three hours apart, also over a restart and a kill', async () => {
  const world = await HotWaterWorld.begin();
  const often = [{ status: 'rejected', code: 'too_often' }];
  const ended = async (ms: number): Promise<void> => {
    world.isCharging = false;
    await world.time.pass(ms);
    await world.read();
  };
  expect(await world.write(SURPLUS, 'true')).toMatchObject(started);
  expect(world.sent).toEqual([CHARGE]);
  await ended(HOUR_MS);
  const before = world.calls;
  expect(await world.write(SURPLUS, '{"value":true,"id":3}')).toMatchObject([{ ...often[0], id: 3 }]);
  expect(world.calls).toBe(before);
  await world.system.stop();
  await world.system.start();
  await ended(MINUTE_MS);
  expect(await world.write(SURPLUS, '1')).toMatchObject(often);
  await ended(2 * HOUR_MS);
  expect(await world.write(SURPLUS, 'ON')).toMatchObject(started);
  world.system.kill();
  await world.system.start();
  await ended(4 * HOUR_MS);
  expect(await world.write(SURPLUS, 'true')).toMatchObject(often);
  await ended(17 * HOUR_MS);
  expect(await world.write(SURPLUS, 'true')).toMatchObject(started);
  expect(world.sent).toEqual([CHARGE, CHARGE, CHARGE]);
});

test('two messages at once, as of two automations, are one charge', async () => {
  const world = await HotWaterWorld.begin();
  world.system.send('heating2mqtt/home/heating/dhw/oneTimeCharge/surplus/set', 'true');
  expect((await world.write(SURPLUS, 'true')).map(({ status }) => status).toSorted()).toEqual(['accepted', 'applied', 'rejected']);
  expect(world.sent).toEqual([CHARGE]);
});

test.each<[name: string, payload: string, celsius: number, answers: readonly object[]]>([
  ['not while the cylinder is warm', 'true', 48, [{ code: 'not_executable', message: 'the cylinder is warm: it has 48 of 50 °C' }]],
  ['three kelvin below its target it is not warm', 'true', 47, started],
  ['off ends nothing', 'false', 40, [{ status: 'rejected', code: 'not_executable' }]],
  ['off in an envelope', '{"value":false}', 40, [{ status: 'rejected', code: 'not_executable' }]],
  ['0 is off', '0', 40, [{ status: 'rejected', code: 'not_executable' }]],
])('%s', async (_, payload, celsius, answers) => {
  const world = await HotWaterWorld.begin();
  world.celsius = celsius;
  await world.read();
  const before = world.calls;
  expect(await world.write(SURPLUS, payload)).toMatchObject(answers);
  expect(world.sent).toHaveLength(answers === started ? 1 : 0);
  if (answers !== started) expect(world.calls).toBe(before);
});

test('a charge that the page has started counts too', async () => {
  const world = await HotWaterWorld.begin();
  await world.write('oneTimeCharge/call/activate', '{}');
  expect(await world.write(SURPLUS, 'true')).toMatchObject([{ code: 'too_often' }]);
});

test('where many more reads confirm a charge than usual, there is one in 24 hours', async () => {
  const world = await HotWaterWorld.begin({ commands: { confirm_s: Array.from({ length: 16 }, (_, index) => 5 + index) } });
  expect(await world.write(SURPLUS, 'true')).toMatchObject(started);
  world.isCharging = false;
  await world.time.pass(23 * HOUR_MS);
  const message = expect.stringMatching(/^the calls that plans and surplus may take in 24 hours are used; possible again from /u);
  expect(await world.write(SURPLUS, 'true')).toMatchObject([{ code: 'too_often', message }]);
  await world.time.pass(HOUR_MS);
  expect(await world.write(SURPLUS, 'true')).toMatchObject(started);
});

test.each([
  ['ahead', 400 * 24],
  ['ahead by two days', 48],
  ['back', -400 * 24],
])('a clock that is set %s allows no further charge, and forbids none for ever', async (_, hours) => {
  const world = await HotWaterWorld.begin();
  const charge = async (): Promise<string | undefined> => {
    world.isCharging = false;
    await world.read();
    const [{ status, code } = {}] = await world.write(SURPLUS, 'true');
    return code ?? status;
  };
  expect(await charge()).toBe('accepted');
  world.time.setWall(hours * HOUR_MS);
  await world.time.pass(HOUR_MS);
  expect(await charge()).toBe('too_often');
  // After a restart nothing has told yet how much time has passed.
  await world.system.stop();
  world.time.setWall(-hours * HOUR_MS);
  await world.system.start();
  world.time.setWall(hours * HOUR_MS);
  expect((await world.write(SURPLUS, 'true'))[0]?.code).toBe('too_often');
  await world.time.pass(2 * HOUR_MS);
  expect(await charge()).toBe('accepted');
  await world.time.pass(19 * HOUR_MS);
  expect(await charge()).toBe('too_often');
  world.time.setWall(-hours * HOUR_MS);
  await world.time.pass(3 * HOUR_MS);
  expect(await charge()).toBe('accepted');
});
