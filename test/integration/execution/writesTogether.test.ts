import { describe, expect, test } from 'vitest';
import type { Recorder } from '../../support/network/mqttRecorder.ts';
import { day, type ShownWeek } from '../../support/schedules/weeks.ts';
import {
  answersOn,
  barrier,
  DEVICE_RESULT,
  ENTRIES,
  isTerminal,
  ONE,
  resultIn,
  SET,
  sentBy,
  started,
  terminalFor,
  write,
} from '../../support/schedules/writing.ts';
import { type BridgeSystem, SCHEDULE } from '../../support/system/testSystem.ts';
import type { VirtualTestOptions } from '../../support/system/virtualTestSystem.ts';

const VALIDATE = SET.replace(/set$/, 'validate');

const start = (options: VirtualTestOptions = {}) => started({ ...ONE, ...options });

const json = (value: unknown): string => JSON.stringify(value);
const present = ({ recorder }: BridgeSystem): ShownWeek => JSON.parse(recorder.last(ENTRIES) ?? '');

/** Resolves with all terminal answers to these ids, in the order in which they came. */
const terminalsOf = async (recorder: Recorder, from: number, ids: readonly number[], timeoutMs = 15_000): Promise<string[]> => {
  const missing = new Set(ids);
  await recorder.until(
    (heard) => {
      if (heard.topic !== DEVICE_RESULT) return false;
      const said = resultIn(heard);
      if (isTerminal(said) && typeof said.id === 'number') missing.delete(said.id);
      return missing.size === 0;
    },
    from,
    timeoutMs,
  );
  return answersOn(recorder.heard.slice(from), DEVICE_RESULT).flatMap((said) => (isTerminal(said) ? [`${said.id} ${said.status}`] : []));
};

const isPosted = async (system: BridgeSystem, posts: number): Promise<void> => {
  await system.untilSo(() => system.posts().length >= posts);
};

describe('what a write is compared with is fresh', () => {
  const stale: VirtualTestOptions = { overrides: { commands: { fresh_s: 0 } } };

  test('an old record is read first, and days not named go back as they are then', async () => {
    const system = await start(stale);
    const week = { ...present(system), tue: day('01:00-02:00 comfort') };
    system.simulator.control({ command: 'set', feature: SCHEDULE, property: 'entries', value: week });
    const outcome = await write(system, SET, '{"mon":[]}');
    expect(outcome).toMatchObject({ statuses: ['accepted', 'applied'], reads: 2 });
    expect(sentBy(outcome)).toEqual({ newSchedule: { ...week, mon: [] } });
  });

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

  test('where the read fails the write has failed, and is not sent', async () => {
    const system = await start(stale);
    system.simulator.control({ command: 'fault', kind: 'html502', match: { method: 'GET', path: '/features' }, times: 1 });
    const { terminal, statuses, reads, posts } = await write(system, SET, '{"value":{"mon":[]},"id":9}');
    expect({ statuses, reads, posts }).toEqual({ statuses: ['failed'], reads: 1, posts: [] });
    expect(terminal).toMatchObject({ code: 'server_error', id: 9, feature: SCHEDULE });
    expect(terminal.message).toContain('not sent');
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

describe('a dry run', () => {
  test('says the week that would be sent and the days that would change, and sends nothing', async () => {
    const system = await start();
    const payload = json({ value: { mon: day('6:00-8:00 normal'), sat: present(system)['sat'] }, id: 'dry' });
    const { terminal, others, reads, posts } = await write(system, VALIDATE, payload);
    expect(terminal).toMatchObject({ status: 'valid', changed: ['mon'], id: 'dry', feature: SCHEDULE, command: 'setSchedule' });
    expect(terminal.week).toEqual({ ...present(system), mon: day('06:00-08:00 normal') });
    expect({ others, reads, posts }).toEqual({ others: [], reads: 0, posts: [] });
  });

  test('of the present week would change no day, and of a wrong one is rejected', async () => {
    const system = await start();
    expect(await write(system, VALIDATE, system.recorder.last(ENTRIES) ?? '')).toMatchObject({
      terminal: { status: 'valid', changed: [] },
      others: [],
      posts: [],
    });
    const wrong = await write(system, VALIDATE, json({ mon: day('06:05-07:00 normal') }));
    expect(wrong).toMatchObject({ terminal: { status: 'rejected', code: 'invalid' }, others: [], posts: [] });
    expect(wrong.terminal.errors?.[0]).toMatchObject({ path: '/mon/0/start', rule: 'resolution' });
  });
});

describe('writes one after the other', () => {
  test('wait for the answer to the one before, and each is merged from what that one made', async () => {
    const system = await start();
    const { recorder, simulator } = system;
    const before = present(system);
    simulator.control({ command: 'fault', match: { method: 'POST' }, delayMs: 300, times: 1 });
    const from = recorder.heard.length;
    await recorder.publish(SET, json({ value: { mon: [] }, id: 0 }));
    await isPosted(system, 1);
    await recorder.publish(SET, json({ value: { tue: [] }, id: 1 }));
    await barrier(system);
    expect(system.posts()).toHaveLength(1);
    expect(await terminalsOf(recorder, from, [0, 1])).toEqual(['0 applied', '1 applied']);
    expect(system.posts().map(({ body }) => JSON.parse(body ?? '').newSchedule)).toEqual([
      { ...before, mon: [] },
      { ...before, mon: [], tue: [] },
    ]);
  });

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

  test('share their confirming reads', async () => {
    const system = await start({ overrides: { commands: { confirm_s: [0.4] } } });
    const from = system.recorder.heard.length;
    const reads = system.reads();
    for (const [id, name] of ['mon', 'tue', 'wed'].entries()) {
      await system.recorder.publish(SET, json({ value: { [name]: [] }, id }));
      await isPosted(system, id + 1);
    }
    expect(await terminalsOf(system.recorder, from, [0, 1, 2])).toHaveLength(3);
    expect(system.reads() - reads).toBe(1);
  });

  test('and back again: the last one counts', async () => {
    const system = await start();
    const { recorder } = system;
    const shown = recorder.last(ENTRIES);
    const from = recorder.heard.length;
    const { mon } = present(system);
    for (const [id, value] of [[], mon, [], mon].entries()) {
      await recorder.publish(SET, json({ value: { mon: value }, id }));
      await isPosted(system, id + 1);
    }
    await terminalsOf(recorder, from, [0, 1, 2, 3]);
    expect(recorder.last(ENTRIES)).toBe(shown);
    expect(system.posts()).toHaveLength(4);
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

  test('answers who waits for the confirmation', async () => {
    const system = await start({ overrides: { commands: { confirm_s: [30] } } });
    const from = system.recorder.heard.length;
    await system.recorder.publish(SET, '{"value":{"mon":[]},"id":1}');
    await system.recorder.until(({ topic, payload }) => topic === DEVICE_RESULT && payload.includes('accepted'), from);
    expect(await stopped(system, from)).toEqual(['1 accepted', '1 unconfirmed stopping']);
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
    expect(await stopped(system, from)).toEqual(['1 accepted', '1 unconfirmed stopping', '2 failed stopping', '3 failed stopping']);
    expect(system.posts()).toHaveLength(1);
  });

  test('does not wait long for a platform that hangs', async () => {
    const system = await start();
    const { recorder, simulator } = system;
    simulator.control({ command: 'fault', match: { method: 'POST' }, hang: true });
    const from = recorder.heard.length;
    await recorder.publish(SET, '{"value":{"mon":[]},"id":1}');
    await isPosted(system, 1);
    expect(await stopped(system, from)).toEqual(['1 unconfirmed stopping']);
  });

  test('answers who waits for a token', async () => {
    const system = await start({ overrides: { platform: { timeout_s: 3.5 } } });
    const { recorder, simulator } = system;
    simulator.control({ command: 'expire_tokens' });
    simulator.control({ command: 'fault', match: { path: '/token' }, hang: true });
    const from = recorder.heard.length;
    await recorder.publish(SET, '{"value":{"mon":[]},"id":1}');
    await system.untilSo(() => simulator.calls().some(({ path }) => path.includes('/token')));
    expect(await stopped(system, from)).toEqual(['1 failed stopping']);
  });

  test('answers who waits for a read', async () => {
    const system = await start({ overrides: { commands: { fresh_s: 0 } } });
    const { recorder, simulator } = system;
    simulator.control({ command: 'fault', match: { method: 'GET' }, hang: true });
    const from = recorder.heard.length;
    const reads = system.reads();
    await recorder.publish(SET, '{"value":{"mon":[]},"id":1}');
    await system.untilSo(() => system.reads() > reads);
    expect(await stopped(system, from)).toEqual(['1 failed stopping']);
    expect(system.posts()).toEqual([]);
  });
});
