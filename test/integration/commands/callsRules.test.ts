import { describe, expect, onTestFinished, test } from 'vitest';
import type { Settings } from '../../../src/config/settings.ts';
import type { Issue } from '../../../src/shared/issue.ts';
import { day } from '../../support/schedules/weeks.ts';
import { answersOn, BRIDGE_RESULT, ONE, type Outcome, SET, sentBy, sharedSystem, write } from '../../support/schedules/writing.ts';
import { ALL, published } from '../../support/system/outcome.ts';
import { type BridgeSystem, SCHEDULE, SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';
import { startVirtualSystem } from '../../support/system/virtualTestSystem.ts';

type Facts = Pick<Issue, 'path' | 'rule' | 'allowed' | 'nearest'>;

const HOME = 'heating2mqtt/home';
const NORMAL = `${HOME}/heating/circuits/0/operating/programs/normal/call/setTemperature`;
const CURVE = `${HOME}/heating/circuits/0/heating/curve/call/setCurve`;
const MODE = `${HOME}/heating/circuits/0/operating/modes/active/call/setMode`;
const NAME = `${HOME}/heating/circuits/1/call/setName`;
const CHARGE = `${HOME}/heating/dhw/oneTimeCharge/call/activate`;
const CHARGE_SET = `${HOME}/heating/dhw/oneTimeCharge/call/setActive`;
const FORCED = `${HOME}/ventilation/quickmodes/forcedLevelFour/call/activate`;
const HYGIENE = `${HOME}/heating/dhw/hygiene/call/activate`;
const _HOLIDAY = `${HOME}/heating/operating/programs/holiday/call/schedule`;
const SCHEDULED = `${SCHEDULE_TOPIC}/call/setSchedule`;

const json = (value: unknown): string => JSON.stringify(value);

/** Some of each kind; all of them: test/unit/topics/commandPayload.test.ts and test/unit/features/command.test.ts. */
describe('the parameters of a call', () => {
  const system = sharedSystem(ALL);

  test.each<[what: string, topic: string, payload: string, body: object]>([
    ['a bare number in an envelope', NORMAL, '{"value":24,"id":"a"}', { targetTemperature: 24 }],
    ['steps with the noise of binary numbers', CURVE, `{"slope":${0.1 + 0.2},"shift":1}`, { slope: 0.1 + 0.2, shift: 1 }],
    ['a bare word', MODE, 'standby', { mode: 'standby' }],
    ['a text with quotes in it', NAME, 'the "old" one', { name: 'the "old" one' }],
    ['a bare boolean', CHARGE_SET, 'true', { active: true }],
    ['none, where the only one is not required', FORCED, '{}', {}],
    ['the bare week', SCHEDULED, json({ tue: [] }), { newSchedule: expect.objectContaining({ tue: [] }) }],
  ])('%s', async (_, topic, payload, body) => {
    const outcome = await write(system(), topic, payload);
    expect(outcome.terminal).toMatchObject({ status: 'applied', command: topic.split('/').at(-1) });
    expect(outcome.terminal.id).toBe(payload.includes('"id"') ? 'a' : undefined);
    expect(sentBy(outcome)).toEqual(body);
  });

  test.each(['go', '{}', '0', 'false', 'null', '[]', '{"value":"x","id":"a"}', '{"unfinished'])(
    'nothing matters where there are none: %s',
    async (payload) => {
      const outcome = await write(system(), `${SCHEDULE_TOPIC}/call/resetSchedule`, payload);
      expect(outcome.terminal.status).toBe('applied');
      expect(outcome.posts.map(({ body }) => body)).toEqual(['{}']);
    },
  );

  test.each<[what: string, topic: string, payload: string, errors: readonly Facts[]]>([
    ['no number', NORMAL, '"warm"', [{ path: '', rule: 'type', allowed: 'number' }]],
    ['no JSON', NORMAL, 'warm', [{ path: '1:1', rule: 'json' }]],
    ['in an envelope', NORMAL, '{"value":21.5}', [{ path: '/value', rule: 'stepping', allowed: 1, nearest: [21, 22] }]],
    [
      'an object in an envelope',
      NORMAL,
      '{"value":{"targetTemperature":2}}',
      [{ path: '/value/targetTemperature', rule: 'min', allowed: 3, nearest: [3] }],
    ],
    [
      'all at once',
      CURVE,
      '{"slope":9,"shift":0.5,"colour":1}',
      [
        { path: '/shift', rule: 'stepping', allowed: 1, nearest: [0, 1] },
        { path: '/slope', rule: 'max', allowed: 3.5, nearest: [3.5] },
        { path: '/colour', rule: 'unknown', allowed: ['shift', 'slope'] },
      ],
    ],
    [
      'a week that breaks a rule, in its parameter and in an envelope',
      SCHEDULED,
      json({ value: { newSchedule: { mon: day('06:05-07:00 normal') } }, id: 1 }),
      [{ path: '/value/newSchedule/mon/0/start', rule: 'resolution', allowed: 10, nearest: ['06:00', '06:10'] }],
    ],
    ['no week', SCHEDULED, '5', [{ path: '1:1', rule: 'text' }]],
  ])('is refused: %s', async (_, topic, payload, errors) => {
    const { terminal, statuses, posts, reads, others } = await write(system(), topic, payload);
    expect({ statuses, posts, reads, others }).toEqual({ statuses: ['rejected'], posts: [], reads: 0, others: [] });
    expect(terminal).toMatchObject({ code: 'invalid', device: 'home' });
    const facts = (terminal.errors ?? []).map(({ path, rule, allowed, nearest }) => ({
      ...{ path, rule },
      ...(allowed === undefined ? {} : { allowed }),
      ...(nearest === undefined ? {} : { nearest }),
    }));
    expect(facts).toEqual(errors);
  });

  test('nothing at all is refused', async () => {
    const { terminal, posts } = await write(system(), CHARGE, '');
    expect(terminal).toMatchObject({ status: 'rejected', code: 'empty', feature: 'heating.dhw.oneTimeCharge' });
    expect(posts).toEqual([]);
  });
});

describe('a call that would change nothing or cannot be made', () => {
  const system = sharedSystem(ALL);

  test('is unchanged where the value is there already', async () => {
    const shown = system().recorder.last(`${HOME}/heating/circuits/0/operating/programs/normal/temperature`) ?? '';
    const { terminal, posts } = await write(system(), NORMAL, shown);
    expect(terminal).toMatchObject({ status: 'unchanged', rev: expect.stringMatching(/^[0-9a-f]{8}$/) });
    expect(posts).toEqual([]);
  });

  test('is refused where the device does not take it now, with what it takes instead', async () => {
    const { terminal, posts } = await write(system(), HYGIENE, 'x');
    expect(terminal).toMatchObject({ status: 'rejected', code: 'not_executable', command: 'activate' });
    expect(terminal.message).toContain('enable');
    expect(posts).toEqual([]);
  });

  test('is sent each time where its effect cannot be told, with one read after it', async () => {
    const reads = system().reads();
    for (const _ of [1, 2]) {
      const { terminal, statuses, posts } = await write(system(), FORCED.replace('activate', 'setTimeout'), '30');
      expect({ statuses, posts: posts.length, command: terminal.command }).toEqual({
        statuses: ['applied'],
        posts: 1,
        command: 'setTimeout',
      });
    }
    expect(system().reads()).toBe(reads + 2);
  });

  test('names what there is near: a feature, a command, a device', async () => {
    const feature = await write(system(), `${HOME}/heating/circuits/0/heating/shedule/set`, '{}');
    expect(feature.terminal).toMatchObject({ code: 'unknown_feature', feature: 'heating.circuits.0.heating.shedule' });
    expect(feature.terminal.message).toContain(`did you mean ${SCHEDULE}`);
    const command = await write(system(), `${SCHEDULE_TOPIC}/call/setShedule`, '{}');
    expect(command.terminal).toMatchObject({ code: 'unknown_command', feature: SCHEDULE });
    expect(command.terminal.message).toContain('did you mean setSchedule');
    const far = await write(system(), `${SCHEDULE_TOPIC}/call/x`, '{}');
    expect(far.terminal.message).toContain('setSchedule, resetSchedule');
    const device = await write(system(), SET.replace('/home/', '/hme/'), '{}', { result: BRIDGE_RESULT });
    expect(device.terminal).toMatchObject({ status: 'rejected', code: 'unknown_device', device: 'hme' });
    expect(device.terminal.message).toContain('did you mean home');
    for (const { posts, reads } of [feature, command, far, device]) expect({ posts, reads }).toEqual({ posts: [], reads: 0 });
  });

  test.each([
    ['device', SET.replace('/home/', '/hme/'), { result: BRIDGE_RESULT }],
    ['feature', `${HOME}/heating/circuits/0/heating/shedule/set`, {}],
    ['command', `${SCHEDULE_TOPIC}/call/setShedule`, {}],
  ])('broken JSON for an unknown %s is told first, with its place', async (_, topic, where) => {
    const { terminal } = await write(system(), topic, '{"mon":[', where);
    expect(terminal).toMatchObject({ status: 'rejected', code: 'invalid', errors: [{ path: '1:9' }] });
  });

  test('for an unknown device is answered on bridge/result alone', async () => {
    const { recorder } = system();
    const from = recorder.heard.length;
    await write(system(), 'heating2mqtt/cellar/heating/call/x', '{}', { result: BRIDGE_RESULT });
    const results = recorder.heard.slice(from).filter(({ topic, payload }) => topic.endsWith('/result') && payload.includes('cellar'));
    expect(results.map(({ topic }) => topic)).toEqual([BRIDGE_RESULT]);
  });

  test.each([
    [`${HOME}/heating/circuits/0/type/set`, /use name\/set, call\/\w+/],
    [`${HOME}/heating/dhw/schedule/active/set`, /use .*text\/set.*call\/setSchedule/],
  ])('what cannot be written by set says what can be: %s', async (topic, hint) => {
    const { terminal, posts } = await write(system(), topic, 'true');
    expect(terminal).toMatchObject({ status: 'rejected', code: 'not_writable' });
    expect(terminal.message).toMatch(hint);
    expect(posts).toEqual([]);
  });

  test('a feature that the platform has disabled says so', async () => {
    system().simulator.control({ command: 'disable_feature', feature: 'heating.dhw.schedule' });
    await system().recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await system().recorder.until(({ topic, payload }) => topic === `${HOME}/heating/dhw/schedule/entries` && payload === '');
    for (const leaf of ['set', 'entries/set', 'call/setSchedule']) {
      const { terminal, posts } = await write(system(), `${HOME}/heating/dhw/schedule/${leaf}`, '{"mon":[]}');
      expect(terminal).toMatchObject({ status: 'rejected', code: 'not_executable', feature: 'heating.dhw.schedule' });
      expect(posts).toEqual([]);
    }
  });
});

const start = async (commands: Partial<Settings['commands']>): Promise<BridgeSystem> => {
  const system = await startVirtualSystem({ ...ONE, overrides: { commands } });
  onTestFinished(() => system.close());
  await published(system);
  return system;
};

describe('what the settings allow', () => {
  const forbidden = ({ terminal, posts, reads }: Outcome, setting: string): void => {
    expect(terminal).toMatchObject({ status: 'rejected', code: 'forbidden', feature: SCHEDULE, command: 'setSchedule' });
    expect(terminal.message).toContain(setting);
    expect({ posts, reads }).toEqual({ posts: [], reads: 0 });
  };

  test.each<[what: string, settings: Partial<Settings['commands']>, setting: string]>([
    ['nothing', { allow: [] }, 'commands.allow'],
    ['all but schedules', { deny: ['*.schedule/*'] }, 'commands.deny'],
  ])('%s: what is not allowed is forbidden, naming the setting', async (_, settings, setting) => {
    const system = await start(settings);
    forbidden(await write(system, SET, '{"mon":[]}'), setting);
    forbidden(await write(system, SCHEDULED, '{"mon":[]}'), setting);
    forbidden(await write(system, SET, system.recorder.last(`${SCHEDULE_TOPIC}/entries`) ?? ''), setting);
    expect((await write(system, SET, '{"mon":5}')).terminal.code).toBe('invalid');
  });

  test('what is allowed goes', async () => {
    const system = await start({ allow: ['heating.circuits.*.heating.schedule/set*'] });
    expect((await write(system, SET, '{"mon":[]}')).terminal.status).toBe('applied');
  });

  test('so many commands in an hour and no more; what sends nothing does not count', async () => {
    const system = await start({ per_hour: 2 });
    const from = system.recorder.heard.length;
    for (const payload of ['{"mon":[]}', '{"mon":[]}', '{"mon":5}', '{"tue":[]}', '{"wed":[]}', '{"wed":[]}', '{"tue":[]}'])
      await write(system, SET, payload);
    await write(system, SET.replace(/set$/, 'validate'), '{"wed":[]}');
    const said = answersOn(system.recorder.heard.slice(from), `${SCHEDULE_TOPIC}/result`).filter(({ status }) => status !== 'accepted');
    expect(said.map(({ status, code }) => code ?? status)).toEqual([
      ...['applied', 'unchanged', 'invalid', 'applied', 'too_often', 'too_often', 'unchanged', 'valid'],
    ]);
    expect(said[4]?.message).toContain('commands.per_hour');
    expect(system.posts()).toHaveLength(2);
  });
});
