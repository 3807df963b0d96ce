import { describe, expect, onTestFinished, test } from 'vitest';
import type { AuthReport } from '../../../../../src/bridge/ports.ts';
import { retainedPublisher } from '../../../../../src/bridge/publish/broker/retainedPublisher.ts';
import type { Sources } from '../../../../../src/bridge/publish/status/reportSources.ts';
import { statusPublisherOf } from '../../../../../src/bridge/publish/status/statusPublisher.ts';
import type { Outgoing } from '../../../../../src/shared/message.ts';
import { memory } from '../../../../support/system/memoryTopics.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';
import { fakeClock, settled } from '../../../../support/time/fakeClock.ts';

const MINUTE = 60_000;

/** A reporter whose sources the test moves, and what reached the broker: `12 health` is a health report in second 12. */
const setUp = async () => {
  const clock = fakeClock();
  const publishedTopics = memory();
  const sent: { readonly at: number; readonly message: Outgoing }[] = [];
  const broker = { window: 16, publish: async (message: Outgoing) => void sent.push({ at: clock.elapsedMs() / 1000, message }) };
  const publisher = retainedPublisher(broker, publishedTopics, recordingLog([]));
  const world = {
    calls: 0,
    problems: {} as object,
    auth: { state: 'ok', since: '2026-11-21T06:00:00Z', message: 'logged in' } as AuthReport,
    health: { poll_seconds: 60, failures: 0, published: 0, commands: {}, answers_dropped: 0, memory: 50 } as ReturnType<Sources['health']>,
  };
  const reporter = statusPublisherOf(
    'base',
    publisher,
    {
      info: () => ({ version: '1' }),
      auth: () => world.auth,
      calls: () => ({ causes: {}, pace: { kind: 'wanted' } }),
      quota: () => ({
        used: { per_10_minutes: world.calls, per_day: world.calls },
        left: { per_10_minutes: 120 - world.calls, per_day: 1450 - world.calls },
        poll_seconds: 60,
        reason: 'as set',
        round_seconds: 60,
      }),
      plan: () => ({ refused: [], calls_per_day: 1450 }),
      problems: () => world.problems,
      health: () => world.health,
      status: () => ({ platform: true, running_s: 60, poll_seconds: 60, auth: 'ok', auth_message: '' }),
    },
    clock,
    recordingLog([]),
  );
  const stop = new AbortController();
  const run = reporter.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await run;
  });
  await settled();
  const said = (leaf?: string): string[] =>
    sent
      .splice(0)
      .map(({ at, message }) => `${at} ${message.topic.replace('base/bridge/', '')}`)
      .filter((line) => leaf === undefined || line.endsWith(leaf));
  const connect = async (beat?: number): Promise<void> => {
    publisher.connected(beat);
    reporter.connected();
    await settled(30);
  };
  return { clock, publishedTopics, publisher, reporter, world, said, connect, sent };
};

describe('the reports', () => {
  test('come as soon as the broker is there, health last', async () => {
    const { clock, said, connect, reporter } = await setUp();
    reporter.show('info');
    reporter.show('auth');
    await clock.pass(7000);
    await connect();
    const seen = said();
    expect(seen.slice(0, -1).sort()).toEqual(['7 auth', '7 info', '7 plan', '7 problems', '7 quota']);
    expect(seen.at(-1)).toBe('7 health');
  });

  test('come at most once a minute each, however much changes; `auth` at once', async () => {
    const { clock, said, connect, reporter, world } = await setUp();
    await connect();
    said();
    for (let second = 1; second <= 300; second += 1) {
      world.calls += 1;
      world.health = { ...world.health, failures: second };
      await clock.pass(1000);
    }
    const seen = said();
    for (const leaf of ['quota', 'health']) expect(seen.filter((line) => line.endsWith(leaf))).toHaveLength(5);
    world.auth = { ...world.auth, state: 'failing' };
    reporter.show('auth');
    await settled();
    expect(said()).toEqual(['300 auth']);
  });

  test('do not come where nothing but time, memory and counts of their own has changed; one every ten minutes shows life', async () => {
    const { clock, said, connect, world } = await setUp();
    await connect();
    said();
    for (let minute = 1; minute <= 40; minute += 1) {
      world.health = { ...world.health, memory: 50 + (minute % 7), published: minute, last_poll_at: String(minute) };
      await clock.pass(MINUTE);
    }
    expect(said()).toEqual(['600 health', '1200 health', '1800 health', '2400 health']);
  });

  test('are not repeated to a broker that was found again and remembers', async () => {
    const { said, connect, clock, publishedTopics, publisher, world } = await setUp();
    await connect();
    said();
    await clock.pass(5000);
    world.calls = 5;
    publisher.disconnected();
    await connect(publishedTopics.lastCheckpointId);
    expect(said()).toEqual([]);
  });

  test('health is a checkpoint of what was published before it, with a growing beat that the database keeps', async () => {
    const { clock, connect, publishedTopics, publisher, sent, reporter } = await setUp();
    await connect();
    expect(publishedTopics.lastCheckpointId).toBe(1);
    publisher.assign('a', [{ topic: 'x', payload: '1', retain: true }]);
    await settled();
    expect(publisher.isCheckpointOutdated()).toBe(true);
    await clock.pass(MINUTE);
    expect(publisher.isCheckpointOutdated()).toBe(false);
    publisher.assign('a', [{ topic: 'x', payload: '2', retain: true }]);
    await settled();
    await reporter.setCheckpoint();
    await reporter.setCheckpoint();
    const beats = sent.filter(({ message }) => message.topic.endsWith('health')).map(({ message }) => JSON.parse(message.payload).beat);
    expect(beats).toEqual([1, 2, 3]);
    expect(publishedTopics.lines.filter(({ kind }) => kind === 'nextCheckpoint' || kind === 'checkpoint')).toEqual(
      [1, 2, 3].flatMap((beat) => [
        ...(beat > 1 ? [{ kind: 'checkpoint', id: undefined }] : []),
        { kind: 'nextCheckpoint', id: beat },
        { kind: 'checkpoint', id: beat },
      ]),
    );
  });

  test('of health that did not reach the broker is made up for', async () => {
    const { connect, publisher, said, clock } = await setUp();
    await connect();
    said();
    publisher.disconnected();
    await clock.pass(20 * MINUTE);
    expect(said()).toEqual([]);
    await connect();
    expect(said('health')).toEqual(['1200 health']);
  });
});
