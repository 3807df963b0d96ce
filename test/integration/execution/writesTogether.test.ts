import { describe, expect, test } from 'vitest';
import { DAY_NAMES, daily, day, type ShownWeek, weekText } from '../../support/schedules/weeks.ts';
import {
  answersOn,
  barrier,
  DEVICE_RESULT,
  ENTRIES,
  ONE,
  SET,
  sentBy,
  started,
  terminalFor,
  write,
} from '../../support/schedules/writing.ts';
import { published } from '../../support/system/outcome.ts';
import { type BridgeSystem, type Overrides, SCHEDULE, SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';
import type { VirtualTestOptions } from '../../support/system/virtualTestSystem.ts';

const start = (options: VirtualTestOptions = {}) => started({ ...ONE, ...options });

const json = (value: unknown): string => JSON.stringify(value);
const present = ({ recorder }: BridgeSystem): ShownWeek => JSON.parse(recorder.last(ENTRIES) ?? '');

const isPosted = async (system: BridgeSystem, posts: number): Promise<void> => {
  await system.untilSo(() => system.posts().length >= posts);
};

describe('what a write is compared with is fresh', () => {
  const stale: VirtualTestOptions = { overrides: { commands: { fresh_s: 0 } } };

  test('what was unchanged by the old record is sent where the platform shows another', async () => {
    const system = await start(stale);
    const { mon } = present(system);
    system.simulator.control({ command: 'set', feature: SCHEDULE, property: 'entries', value: { ...present(system), mon: [] } });
    const outcome = await write(system, SET, json({ mon }));
    expect(outcome).toMatchObject({ statuses: ['accepted', 'applied'], reads: 2 });
    expect(outcome.posts).toHaveLength(1);
  });

  test.each([
    ['not JSON', '{', 'invalid'],
    ['no week', '{"mon":7}', 'invalid'],
    ['a time that is none', json({ mon: day('06:0-7:00 normal') }), 'invalid'],
  ])('a payload that is wrong in itself costs no call: %s', async (_, payload, code) => {
    const { terminal, reads, posts } = await write(await start(stale), SET, payload);
    expect({ code: terminal.code, reads, posts }).toEqual({ code, reads: 0, posts: [] });
  });

  test('what is forbidden costs no call', async () => {
    const system = await start({ overrides: { commands: { fresh_s: 0, allow: [] } } });
    expect(await write(system, SET, '{"mon":[]}')).toMatchObject({ terminal: { code: 'forbidden' }, reads: 0, posts: [] });
  });

  test.each([
    ['html502', 'server_error'],
    ['cut_before', 'cut'],
    ['rate_limited', 'rate_limited'],
    ['no_data', 'bad_answer'],
  ])('where the read fails (%s) the write has failed, and is not sent', async (kind, code) => {
    const system = await start(stale);
    system.simulator.control({ command: 'fault', kind, match: { method: 'GET', path: '/features' } });
    const { terminal, statuses, posts } = await write(system, SET, '{"value":{"mon":[]},"id":9}');
    expect({ statuses, posts }).toEqual({ statuses: ['failed'], posts: [] });
    expect(terminal).toMatchObject({ code, id: 9, feature: SCHEDULE, message: expect.stringContaining('not sent') });
  });

  test('a feature that was never read is read for its first write', async () => {
    const system = await start({
      prepare: (simulator) => void simulator.control({ command: 'fault', kind: 'html503', match: { path: '/features' }, times: 1 }),
    });
    const { statuses, reads, terminal } = await write(system, SET, '{"mon":[]}');
    expect({ statuses, reads }).toEqual({ statuses: ['accepted', 'applied'], reads: 2 });
    expect(terminal).toMatchObject({ feature: SCHEDULE, device: 'home', command: 'setSchedule' });
  });
});

describe('writes one after the other', () => {
  test('to different devices do not wait for each other', async () => {
    const devices = ['0', 'RoomControl-1'].map((device) => ({
      ...{ name: device === '0' ? 'home' : 'rooms', installation: '111222', gateway: '7571381699991111', device, exclude: [] },
      features: [device === '0' ? SCHEDULE : 'rooms.0.schedule'],
    }));
    const system = await start({ overrides: { devices, platform: { timeout_s: 0.5 } } });
    const { recorder, simulator } = system;
    simulator.control({ command: 'fault', match: { method: 'POST', path: '/devices/0/' }, hang: true });
    const from = recorder.heard.length;
    await recorder.publish(SET, '{"mon":[]}');
    await isPosted(system, 1);
    const other = 'heating2mqtt/rooms/rooms/0/schedule/set';
    await recorder.publish(other, '{"mon":[]}');
    expect((await terminalFor(recorder, other, from, 'heating2mqtt/rooms/result')).status).toBe('applied');
    expect(answersOn(recorder.heard.slice(from), DEVICE_RESULT)).toEqual([]);
  });

  test('seven days that Home Assistant writes one by one are one call, never shown by half, and one undo after a restart', async () => {
    const system = await start({ overrides: { commands: { settle_ms: 500 } } });
    const { recorder } = system;
    const from = recorder.heard.length;
    const before = present(system);
    const week = daily('06:00-08:00 normal, 17:00-22:00 comfort');
    for (const name of DAY_NAMES) await recorder.publish(`${SCHEDULE_TOPIC}/${name}/set`, '06:00-08:00 normal, 17:00-22:00 comfort');
    for (const name of DAY_NAMES)
      expect(await terminalFor(recorder, `${SCHEDULE_TOPIC}/${name}/set`, from)).toMatchObject({ status: 'applied', changed: [name] });
    await barrier(system);
    expect(system.posts().map(({ body }) => JSON.parse(body ?? ''))).toEqual([{ newSchedule: week }]);
    const shown = recorder.heard.slice(from).filter(({ topic }) => topic === ENTRIES);
    expect(shown.map(({ payload }) => payload)).toEqual([weekText(week)]);
    const again = recorder.heard.length;
    await system.restart();
    await published(system, again);
    expect(sentBy(await write(system, `${SCHEDULE_TOPIC}/undo/set`, 'PRESS'))).toEqual({ newSchedule: before });
  });

  test('one that is overwritten shows the present value of its topic again', async () => {
    const system = await start({ overrides: { commands: { settle_ms: 500 } } });
    const { recorder } = system;
    const from = recorder.heard.length;
    const topic = `${SCHEDULE_TOPIC}/mon`;
    await recorder.publish(`${topic}/set`, '01:00-02:00 normal');
    await recorder.publish(SET, json({ mon: day('03:00-04:00 normal') }));
    expect(await terminalFor(recorder, `${topic}/set`, from)).toMatchObject({ status: 'superseded', kept: [] });
    await terminalFor(recorder, SET, from);
    await barrier(system);
    const shown = recorder.heard.slice(from).filter((heard) => heard.topic === topic);
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.at(-1)?.payload).toBe('03:00-04:00 normal');
  });
});

describe('a stop', () => {
  /** Stops the bridge and gives the answers to the ids, with their codes. */
  const stopped = async (system: BridgeSystem, from: number): Promise<string[]> => {
    await system.stopApp();
    const { recorder } = system;
    await recorder.untilTopic('heating2mqtt/bridge/state', 'offline', from);
    return answersOn(recorder.heard.slice(from), DEVICE_RESULT).map(({ id, status, code }) =>
      [id, status, code].filter((part) => part !== undefined).join(' '),
    );
  };

  test('answers who waits for the confirmation, and leaves the accepted week on its topic', async () => {
    const system = await start({ overrides: { commands: { confirm_s: [30] } } });
    const from = system.recorder.heard.length;
    await system.recorder.publish(SET, '{"value":{"mon":[]},"id":1}');
    await system.recorder.until(({ topic, payload }) => topic === DEVICE_RESULT && payload.includes('accepted'), from);
    expect(await stopped(system, from)).toEqual(['1 accepted', '1 unconfirmed stopping']);
    expect(JSON.parse((await system.retained()).get(ENTRIES) ?? '{}').mon).toEqual([]);
  });

  test('answers who was not sent yet, and waits for the answer of who was', async () => {
    const system = await start();
    const { recorder, simulator } = system;
    simulator.control({ command: 'fault', match: { method: 'POST' }, delayMs: 300 });
    const from = recorder.heard.length;
    const publish = (id: number): Promise<void> => recorder.publish(SET, json({ value: { mon: day(`0${id}:00-09:00 normal`) }, id }));
    await publish(1);
    await isPosted(system, 1);
    await Promise.all([2, 3].map(publish));
    await barrier(system);
    // Nothing says which of the two that wait is answered first.
    const said = ['1 accepted', '1 unconfirmed stopping', '2 failed stopping', '3 failed stopping'];
    expect((await stopped(system, from)).sort()).toEqual(said);
    expect(system.posts()).toHaveLength(1);
  });

  test.each<[what: string, overrides: Overrides, path: string, said: string, posts: number]>([
    ['does not wait long for a platform that hangs', {}, '/commands/', '1 unconfirmed stopping', 1],
    ['answers who waits for a token', { platform: { timeout_s: 8 } }, '/token', '1 failed stopping', 1],
    ['answers who waits for a read', { commands: { fresh_s: 0 } }, '/features', '1 failed stopping', 0],
  ])('%s', async (_, overrides, path, said, posts) => {
    const system = await start({ overrides });
    const { recorder, simulator } = system;
    const [from, calls] = [recorder.heard.length, simulator.calls().length];
    if (path === '/token') simulator.control({ command: 'expire_tokens' });
    simulator.control({ command: 'fault', match: { path }, hang: true });
    await recorder.publish(SET, '{"value":{"mon":[]},"id":1}');
    await system.untilSo(() =>
      simulator
        .calls()
        .slice(calls)
        .some((call) => call.path.includes(path)),
    );
    expect(await stopped(system, from)).toEqual([said]);
    expect(system.posts()).toHaveLength(posts);
  });
});
