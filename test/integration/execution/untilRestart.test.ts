import { expect, onTestFinished, test } from 'vitest';
import { CURVE, CURVE_TOPIC, endAt, ended, keptEnds, SET_CURVE } from '../../support/devices/ends.ts';
import { barrier, hurry, SET, terminalFor, write } from '../../support/schedules/writing.ts';
import { putJournal, putValues } from '../../support/system/database.ts';
import { ALL, published } from '../../support/system/outcome.ts';
import { SCHEDULE_TOPIC, startTestSystem, type TestSystem } from '../../support/system/testSystem.ts';
import { untilSo } from '../../support/system/untilSo.ts';
import { dayAhead } from '../../support/time/dayAhead.ts';

const start = async (): Promise<TestSystem> => {
  const house = await startTestSystem(ALL);
  onTestFinished(() => house.close());
  hurry(house.recorder);
  await published(house);
  return house;
};

const LATER = { until: `${dayAhead(40)}T11:00:00Z` };
const setCurve = (house: TestSystem, slope: number, more: object = LATER) =>
  write(house, SET_CURVE, JSON.stringify({ value: { slope, shift: 1 }, id: 'mine', ...more }));
const slopeOf = ({ recorder }: TestSystem): string | undefined => recorder.last(`${CURVE_TOPIC}/slope`);
const untilOf = ({ recorder }: TestSystem, feature = CURVE_TOPIC): string | undefined => recorder.last(`${feature}/until`);

/** Stops the bridge, and starts it again after `meanwhile`; gives how much was heard before. */
const restart = async (house: TestSystem, meanwhile: () => void): Promise<number> => {
  await house.stopApp();
  meanwhile();
  const from = house.recorder.heard.length;
  await house.restart();
  await published(house, from);
  return from;
};

test('an end that is still to come is shown and kept over a restart', async () => {
  const house = await start();
  const slope = slopeOf(house);
  await setCurve(house, 2.1);
  const shown = untilOf(house);
  const from = await restart(house, () => undefined);
  expect(house.recorder.heard.slice(from).filter(({ topic }) => topic.endsWith('/until'))).toEqual([]);
  expect(untilOf(house)).toBe(shown);
  await write(house, `${CURVE_TOPIC}/until/set`, 'now');
  expect(slopeOf(house)).toBe(slope);
});

test('an end that has passed meanwhile comes at once', async () => {
  const house = await start();
  const week = house.recorder.last(`${SCHEDULE_TOPIC}/text`);
  await write(house, SET, JSON.stringify({ value: 'mon-sun none', ...LATER }));
  const from = await restart(house, () => endAt(house, Date.now() - 60_000));
  expect(await ended(house, SCHEDULE_TOPIC, from)).toMatchObject({ status: 'applied', command: 'setSchedule' });
  await barrier(house);
  expect(house.recorder.last(`${SCHEDULE_TOPIC}/text`)).toBe(week);
  expect(untilOf(house, SCHEDULE_TOPIC)).toBeUndefined();
  expect(house.posts()).toHaveLength(2);
});

test('an end that has passed while somebody changed it elsewhere brings nothing back', async () => {
  const house = await start();
  await setCurve(house, 2.1);
  const from = await restart(house, () => {
    house.simulator.control({ command: 'set', feature: CURVE, property: 'slope', value: 0.7 });
    endAt(house, Date.now() - 60_000);
  });
  expect(await ended(house, CURVE_TOPIC, from)).toMatchObject({ status: 'rejected', code: 'conflict' });
  expect(house.posts()).toHaveLength(1);
  expect(slopeOf(house)).toBe('0.7');
});

/** As a killed process leaves it: the write is on disk, and in the journal where it says so. */
const killed = (house: TestSystem, isInJournal: boolean): void => {
  const { data_dir } = house.settings;
  const temporary = {
    ...{ device: `${house.simulator.gateway}/0`, feature: CURVE, command: 'setCurve', untilMs: Date.parse(LATER.until) },
    parts: [{ property: 'slope', written: 2.1, former: 1.2 }],
    key: 4,
  };
  putValues(data_dir, 'overrides', { [`${temporary.device} ${temporary.feature}`]: { sending: temporary } });
  const line = {
    ...{ device: `${house.simulator.gateway}/0`, name: 'home', feature: CURVE, command: 'setCurve', topic: SET_CURVE, id: 'mine' },
    values: { slope: 2.1 },
  };
  if (isInJournal) putJournal(data_dir, 4, line);
};

test.each([
  { what: 'it was carried out: it ends as it should', isInJournal: true, isShown: true, isLeft: true },
  { what: 'it was not: no end is shown', isInJournal: true, isShown: false, isLeft: false },
  { what: 'it was never sent: no end is left behind', isInJournal: false, isShown: false, isLeft: false },
])('killed while a write that ends by itself was on its way, $what', async ({ isInJournal, isShown, isLeft }) => {
  const house = await start();
  const from = await restart(house, () => {
    killed(house, isInJournal);
    if (isShown) house.simulator.control({ command: 'set', feature: CURVE, property: 'slope', value: 2.1 });
  });
  if (isInJournal) await terminalFor(house.recorder, SET_CURVE, from);
  await barrier(house);
  expect(untilOf(house) !== undefined).toBe(isLeft);
  if (!isLeft) return;
  await write(house, `${CURVE_TOPIC}/until/set`, 'now');
  expect(slopeOf(house)).toBe('1.2');
});

test('the end is on disk when the command goes out', async () => {
  const house = await start();
  house.simulator.control({ command: 'fault', kind: 'hang', execute: true, match: { method: 'POST' }, times: 1 });
  await house.recorder.publish(SET_CURVE, JSON.stringify({ value: { slope: 2.1, shift: 1 }, ...LATER }));
  await untilSo(() => house.posts().length > 0);
  expect(keptEnds(house)).toMatchObject([{ sending: { parts: [{ property: 'slope', written: 2.1 }, {}] } }]);
});

test('a stop in the middle of coming back leaves it to the next start', async () => {
  const house = await start();
  const slope = slopeOf(house);
  const before = house.recorder.heard.length;
  house.simulator.control({ command: 'fault', kind: 'gateway_offline', match: { method: 'POST' }, times: 1 });
  await setCurve(house, 2.1).then(({ terminal }) => expect(terminal.status).toBe('failed'));
  await setCurve(house, 2.1, { for: '2s' });
  house.simulator.control({ command: 'fault', kind: 'gateway_offline', match: { method: 'POST' }, times: 1 });
  const failed = await ended(house, CURVE_TOPIC, before);
  expect(failed.status).toBe('failed');
  expect(untilOf(house)).toBeDefined();
  const from = await restart(house, () => undefined);
  expect(await ended(house, CURVE_TOPIC, from)).toMatchObject({ status: 'applied' });
  expect(slopeOf(house)).toBe(slope);
});

test.each([8.64e15 + 2, Number.MAX_SAFE_INTEGER, -8.64e15 - 2])(
  'a kept end that no date can show (%d) is left out, and told in one line',
  async (untilMs) => {
    const house = await start();
    await setCurve(house, 2.1);
    await restart(house, () => endAt(house, untilMs));
    expect(house.logged.filter(({ sentence }) => sentence.includes('make no sense and are left out'))).toHaveLength(1);
    await barrier(house);
    expect(slopeOf(house)).toBe('2.1');
    expect(untilOf(house)).toBeUndefined();
  },
);
