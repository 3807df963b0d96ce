import { describe, expect, test } from 'vitest';
import { CURVE, CURVE_TOPIC, ended, keptEnds, SET_CURVE } from '../../support/devices/ends.ts';
import { barrier, type Result, SET, sentBy, sharedSystem, started, terminalFor, write } from '../../support/schedules/writing.ts';
import { polled } from '../../support/system/outcome.ts';
import { type BridgeSystem, SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';

const [START, DAY, DAY_AFTER] = ['2026-12-21', '2026-12-31', '2027-01-01'];
const [END, LATER] = [`${DAY}T11:00:00Z`, `${DAY_AFTER}T11:00:00Z`];

const envelope = (value: unknown, more: object): string => JSON.stringify({ value, ...more });
const shownCurve = ({ recorder }: BridgeSystem): readonly (string | undefined)[] =>
  ['slope', 'shift'].map((name) => recorder.last(`${CURVE_TOPIC}/${name}`));
const untilShown = ({ recorder }: BridgeSystem, feature: string): string | undefined => recorder.last(`${feature}/until`);
/** The answer to a message that costs no call. */
const told = async ({ recorder }: BridgeSystem, topic: string, payload: string): Promise<Result> => {
  const from = recorder.heard.length;
  await recorder.publish(topic, payload);
  return terminalFor(recorder, topic, from);
};

const now = (system: BridgeSystem, feature: string) => write(system, `${feature}/until/set`, 'now');

describe('a write that ends by itself', () => {
  test('of a week comes back at its instant, by one command', async () => {
    const system = await started();
    const before = system.recorder.last(`${SCHEDULE_TOPIC}/text`);
    const from = system.recorder.heard.length;
    const { terminal } = await write(system, SET, envelope('mon-sun none', { for: '2s', id: 1 }));
    expect(terminal).toMatchObject({ id: 1, status: 'applied', until: expect.stringMatching(/Z$/) });
    expect(Date.parse(untilShown(system, SCHEDULE_TOPIC) ?? '')).toBe(Date.parse(terminal.until ?? ''));
    const back = await ended(system, SCHEDULE_TOPIC, from);
    expect(back).toMatchObject({ status: 'applied', command: 'setSchedule', changed: terminal.changed });
    expect(back).not.toHaveProperty('id');
    await barrier(system);
    expect(system.recorder.last(`${SCHEDULE_TOPIC}/text`)).toBe(before);
    expect(untilShown(system, SCHEDULE_TOPIC)).toBeUndefined();
    expect(system.posts()).toHaveLength(2);
  });

  test('of any property comes back, with what was changed beside it left as it is', async () => {
    const system = await started();
    const [slope, shift] = shownCurve(system);
    await write(system, SET_CURVE, envelope({ slope: 2.1, shift: Number(shift) }, { for: '1h' }));
    system.simulator.control({ command: 'set', feature: CURVE, property: 'shift', value: -3 });
    await polled(system);
    expect(sentBy(await now(system, CURVE_TOPIC))).toEqual({ slope: Number(slope), shift: -3 });
    expect(shownCurve(system)).toEqual([slope, '-3']);
    expect(untilShown(system, CURVE_TOPIC)).toBeUndefined();
  });

  test('of one property, and of a circuit as a whole, comes back too', async () => {
    const system = await started();
    const [slope] = shownCurve(system);
    await write(system, `${CURVE_TOPIC}/slope/set`, envelope(2.1, { for: '1h' }));
    const again = await told(system, `${CURVE_TOPIC}/slope/set`, envelope(2.1, { until: LATER }));
    expect(again).toMatchObject({ status: 'applied', until: new Date(LATER).toISOString() });
    // What was written beside it by its own topic is left to it.
    await write(system, `${CURVE_TOPIC}/shift/set`, '4');
    await now(system, CURVE_TOPIC);
    expect(shownCurve(system)).toEqual([slope, '4']);
    const bad = await told(system, `${CURVE_TOPIC}/slope/set`, envelope(1.1, { for: 'ever' }));
    expect(bad).toMatchObject({ status: 'rejected', errors: [{ path: '/for', rule: 'for' }] });
    const mode = system.recorder.last('heating2mqtt/home/heating/circuits/0/operating/modes/active/value');
    await write(system, 'heating2mqtt/home/heating/circuits/0/climate/mode/set', envelope('off', { for: '1h' }));
    expect(system.recorder.last('heating2mqtt/home/heating/circuits/0/operating/modes/active/value')).not.toBe(mode);
    await now(system, 'heating2mqtt/home/heating/circuits/0/operating/modes/active');
    expect(system.recorder.last('heating2mqtt/home/heating/circuits/0/operating/modes/active/value')).toBe(mode);
  });

  test('of a program is left by the opposite command', async () => {
    const system = await started();
    const program = 'heating2mqtt/home/heating/circuits/0/operating/programs/comfort';
    const { terminal } = await write(system, `${program}/call/activate`, envelope({}, { for: '1h' }));
    expect(terminal.status).toBe('applied');
    expect((await now(system, program)).posts).toMatchObject([{ path: expect.stringMatching(/deactivate$/) }]);
    expect(system.recorder.last(`${program}/active`)).toBe('false');
  });

  test('is written as text with the end behind it', async () => {
    const system = await started();
    const { terminal } = await write(system, `${SCHEDULE_TOPIC}/mon/set`, `none until ${DAY} 12:00`);
    expect(terminal).toMatchObject({ status: 'applied', changed: ['mon'] });
    expect(untilShown(system, SCHEDULE_TOPIC)).toMatch(new RegExp(`^${DAY}T12:00:00[+-]\\d\\d:\\d\\d$`));
  });

  test('gives its end to the command that has a parameter for it; then the device ends it', async () => {
    const system = await started();
    const holiday = 'heating2mqtt/home/heating/operating/programs/holiday';
    const outcome = await write(system, `${holiday}/call/schedule`, envelope({ start: START }, { until: DAY }));
    expect(sentBy(outcome)).toEqual({ start: START, end: DAY });
    expect(untilShown(system, holiday)).toBeUndefined();
    const noon = await write(system, `${holiday}/call/schedule`, envelope({ start: START }, { until: `${DAY} 12:00` }));
    expect(noon.terminal).toMatchObject({ status: 'rejected', errors: [{ path: '/until', rule: 'date', nearest: [DAY_AFTER] }] });
    expect(noon.posts).toEqual([]);
    // This one may have a single day, as its end is the last of its days.
    const atHome = await write(system, `${holiday}AtHome/call/schedule`, envelope({ start: START }, { until: DAY_AFTER }));
    expect(sentBy(atHome)).toEqual({ start: START, end: DAY });
  });
});

describe('an end', () => {
  test('that is shown and published back changes nothing; another moves it', async () => {
    const system = await started();
    await write(system, SET_CURVE, envelope({ slope: 2.1, shift: 1 }, { for: '3h' }));
    const shown = untilShown(system, CURVE_TOPIC) ?? '';
    const same = await write(system, `${CURVE_TOPIC}/until/set`, shown);
    expect(same.statuses).toEqual(['unchanged']);
    expect(same.reads + same.posts.length).toBe(0);
    const [reads, posts] = [system.reads(), system.posts().length];
    const moved = await told(system, `${CURVE_TOPIC}/until/set`, envelope(END, { id: 'm' }));
    expect(moved).toMatchObject({ id: 'm', status: 'applied', until: new Date(END).toISOString() });
    expect(Date.parse(untilShown(system, CURVE_TOPIC) ?? '')).toBe(Date.parse(END));
    // The same values again, for longer.
    const longer = await told(system, SET_CURVE, envelope({ slope: 2.1, shift: 1 }, { until: LATER }));
    expect(longer).toMatchObject({ status: 'applied', until: new Date(LATER).toISOString() });
    expect([system.reads(), system.posts().length]).toEqual([reads, posts]);
    expect(Date.parse(untilShown(system, CURVE_TOPIC) ?? '')).toBe(Date.parse(LATER));
  });

  test('that is the next change of the week is an instant from its arrival on, by MQTT, text and a composite alike', async () => {
    const system = await started();
    const circuit = 'heating2mqtt/home/heating/circuits/0';
    const next = Date.parse(system.recorder.last(`${SCHEDULE_TOPIC}/next_at`) ?? '');
    const curve = await write(system, SET_CURVE, envelope({ slope: 2.1, shift: 1 }, { until: 'next' }));
    expect(Date.parse(curve.terminal.until ?? '')).toBe(next);
    expect(Date.parse(untilShown(system, CURVE_TOPIC) ?? '')).toBe(next);
    await told(system, `${CURVE_TOPIC}/until/set`, '5d');
    await told(system, `${CURVE_TOPIC}/until/set`, 'nächster Wechsel');
    expect(Date.parse(untilShown(system, CURVE_TOPIC) ?? '')).toBe(next);
    const mode = await write(system, `${circuit}/climate/mode/set`, envelope('off', { until: 'next' }));
    expect(Date.parse(mode.terminal.until ?? '')).toBe(next);
    await now(system, `${circuit}/operating/modes/active`);
    const week = await write(system, SET, 'daily none until next');
    expect(week.terminal).toMatchObject({
      status: 'applied',
      until: new Date(Date.parse(untilShown(system, SCHEDULE_TOPIC) ?? '')).toISOString(),
    });
  });

  test('that is the next change of no week is refused with the reason', async () => {
    const system = await started();
    const refused = async (topic: string, payload: string) => (await told(system, topic, payload)).errors;
    await write(system, SET, 'daily 0-24 normal');
    expect(await refused(SET_CURVE, envelope({ slope: 2.1, shift: 1 }, { until: 'next' }))).toMatchObject([
      { path: '/until', rule: 'no_change' },
    ]);
    expect(await refused(SET, 'daily 0-24 comfort until next')).toMatchObject([{ path: '1:26', rule: 'no_change' }]);
    expect(await refused(SET, 'daily 0-25 comfort until next')).toMatchObject([{ rule: 'time' }]);
    const holiday = 'heating2mqtt/home/heating/operating/programs/holiday/call/schedule';
    expect(await refused(holiday, envelope({ start: START }, { until: 'next' }))).toMatchObject([{ path: '/until', rule: 'no_week' }]);
    system.simulator.control({ command: 'set', feature: 'heating.circuits.0.heating.schedule', property: 'active', value: false });
    await polled(system);
    expect(await refused(SET_CURVE, envelope({ slope: 2.1, shift: 1 }, { until: 'next' }))).toMatchObject([{ rule: 'not_followed' }]);
  });

  test('is forgotten where an ordinary write takes its place, but not by one that changes nothing', async () => {
    const system = await started();
    await write(system, SET_CURVE, envelope({ slope: 2.1, shift: 1 }, { for: '1h' }));
    const again = await write(system, SET_CURVE, '{"slope":2.1,"shift":1}');
    expect(again.statuses).toEqual(['unchanged']);
    expect(untilShown(system, CURVE_TOPIC)).toBeDefined();
    await write(system, SET_CURVE, '{"slope":1.9,"shift":2}');
    expect(untilShown(system, CURVE_TOPIC)).toBeUndefined();
    expect((await now(system, CURVE_TOPIC)).terminal).toMatchObject({ status: 'rejected', code: 'no_end' });
  });

  test('is not left behind by a write that failed; what ran before goes on', async () => {
    const system = await started();
    const before = shownCurve(system);
    await write(system, SET_CURVE, envelope({ slope: 2.1, shift: 1 }, { until: END }));
    system.simulator.control({ command: 'fault', kind: 'success_false', match: { method: 'POST' }, times: 1 });
    expect((await write(system, SET_CURVE, envelope({ slope: 2.5, shift: 1 }, { for: '1h' }))).terminal.status).toBe('failed');
    expect(JSON.stringify(keptEnds(system))).not.toContain('sending');
    expect(Date.parse(untilShown(system, CURVE_TOPIC) ?? '')).toBe(Date.parse(END));
    await now(system, CURVE_TOPIC);
    expect(shownCurve(system)).toEqual(before);
  });
});

test('what the app makes of a mode that was written for a time is said with all its values, and taken back', async () => {
  const system = await started();
  const { recorder, simulator } = system;
  const mode = 'heating2mqtt/home/heating/circuits/0/operating/modes/active';
  const before = recorder.last(`${mode}/value`);
  await write(system, `${mode}/value/set`, envelope('standby', { until: END }));
  simulator.control({ command: 'set', feature: 'heating.circuits.0.operating.modes.active', property: 'value', value: 'dhw' });
  await polled(system);
  const { until, parts } = JSON.parse((await recorder.untilTopic(`${mode}/until/conflict`)).payload);
  expect([Date.parse(until), parts]).toEqual([Date.parse(END), [{ property: 'value', before, written: 'standby', shown: 'dhw' }]]);
  const problems = (): unknown => JSON.parse(recorder.last('heating2mqtt/home/problems') ?? '{}');
  await system.untilSo(() => JSON.stringify(problems()).includes('conflict'));
  const message = expect.stringMatching(/^Floor .+ until 2026-12-31 .+ in the app\. Revert /);
  expect(problems()).toEqual({ conflict: { message, until: new Date(END).toISOString() } });
  const { terminal, posts } = await write(system, `${mode}/until/set`, envelope('restore', { id: 'mine' }));
  expect([terminal.id, terminal.status, posts.length]).toEqual(['mine', 'applied', 1]);
  expect(recorder.last(`${mode}/value`)).toBe(before);
  expect([untilShown(system, mode), recorder.last(`${mode}/until/conflict`), problems()]).toEqual([undefined, undefined, {}]);
});

describe('refused without a call', () => {
  const system = sharedSystem();

  test.each([
    ['an end that has passed', SET, { value: 'mon-sun none', until: '2020-01-01' }, 'invalid', '/until', 'past'],
    ['an end too far ahead', SET, { value: 'mon-sun none', until: '2099-01-01' }, 'invalid', '/until', 'far'],
    ['an end that is none', SET, { value: 'mon-sun none', until: 'later' }, 'invalid', '/until', 'until'],
    ['a duration that is none', SET, { value: 'mon-sun none', for: '90' }, 'invalid', '/for', 'for'],
    ['two ends', SET, { value: 'mon-sun none', for: '1h', until: '22:00' }, 'invalid', '/for', 'two_ends'],
    ['two ends, one in the text', SET, { value: 'mon-sun none for 2h', until: '22:00' }, 'invalid', '/value 1:18', 'two_ends'],
    ['an end of nothing', `${CURVE_TOPIC}/until/set`, { value: 'now' }, 'no_end'],
    ['a key beside the end', `${CURVE_TOPIC}/until/set`, { value: 'now', untill: 1 }, 'invalid', '/untill', 'unknown_key'],
    ['no end', `${CURVE_TOPIC}/until/set`, { value: 'later' }, 'invalid', '/value', 'until'],
    ['what cannot be undone', `${SCHEDULE_TOPIC}/call/resetSchedule`, { value: {}, for: '1h' }, 'not_reversible'],
  ])('%s', async (_, topic, payload, code, path?: string, rule?: string) => {
    const { terminal, posts } = await write(system(), topic, JSON.stringify({ id: 5, ...payload }));
    expect(terminal).toMatchObject({ id: 5, status: 'rejected', code, ...(path === undefined ? {} : { errors: [{ path, rule }] }) });
    expect(terminal.message?.length).toBeGreaterThan(10);
    expect(terminal.command).not.toBe('');
    expect(posts).toEqual([]);
  });

  test('a dry run tells the end and leaves none', async () => {
    const { terminal } = await write(system(), `${SCHEDULE_TOPIC}/validate`, envelope('mon none', { until: END }));
    expect(terminal).toMatchObject({ status: 'valid', until: new Date(END).toISOString() });
    expect(untilShown(system(), SCHEDULE_TOPIC)).toBeUndefined();
  });
});
