import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../support/network/mqttRecorder.ts';
import { startProxy } from '../support/network/proxy.ts';
import { startTestBroker } from '../support/network/testBroker.ts';
import { barrier, RESULT, SET } from '../support/schedules/writing.ts';
import { clockWithSpeed } from '../support/system/clockWithSpeed.ts';
import { FEW, published } from '../support/system/outcome.ts';
import { startTestSystem } from '../support/system/testSystem.ts';

describe('acknowledgements that get lost on a line that stays open', () => {
  const start = async () => {
    const broker = await startTestBroker();
    onTestFinished(() => broker.close());
    const proxy = await startProxy(broker.port);
    onTestFinished(() => proxy.close());
    const { clock, setSpeed } = clockWithSpeed();
    const system = await startTestSystem({ ...FEW, clock, brokerUrl: broker.url, overrides: { mqtt: { url: proxy.url } } });
    onTestFinished(() => system.close());
    await published(system);
    const loss = () => system.logged.filter(({ sentence }) => sentence === 'connection to the broker lost');
    return { system, proxy, loss, setSpeed };
  };

  test('end the connection after half a minute: it is made again, others are told meanwhile, and every command is answered', async () => {
    const { system, proxy, loss, setSpeed } = await start();
    proxy.swallow('present');
    const from = system.recorder.heard.length;
    const ids = Array.from({ length: 30 }, (_, n) => `lost-${n}`);
    for (const id of ids) await system.recorder.publish(SET, JSON.stringify({ value: 'nonsense', id }));
    const answer = (id = '') => system.recorder.until(({ topic, payload }) => topic === RESULT && payload.includes(`"${id}"`), from);
    // So many answers go out without an acknowledgement; by then the other commands have come, too.
    await answer(ids[2]);
    // Half a minute in a second and a half.
    setSpeed(20);
    await expect.poll(() => loss().length).toBeGreaterThan(0);
    setSpeed(1);
    await system.recorder.untilTopic('heating2mqtt/bridge/state', 'offline', from);
    await system.recorder.untilTopic('heating2mqtt/bridge/state', 'online', from);
    for (const id of ids) await answer(id);
    await expect.poll(() => system.app.status().broker).toBe(true);
    expect(loss()).toMatchObject([{ facts: { why: 'the broker acknowledged nothing for 30 s' } }]);
  });

  test('all of them: health stays red, and answers wait in bounded numbers, told with their number', async () => {
    const { system, proxy, loss, setSpeed } = await start();
    setSpeed(20);
    proxy.swallow('all');
    const from = system.recorder.heard.length;
    const other = await listen(system.broker.url);
    onTestFinished(() => other.close());
    await expect
      .poll(async () => {
        await Promise.all(Array.from({ length: 100 }, () => other.publish(SET, 'nonsense')));
        return system.logged.filter(({ sentence }) => sentence.startsWith('too many messages are rejected')).length;
      })
      .toBe(1);
    await expect.poll(() => loss().length).toBeGreaterThan(0);
    expect(system.app.status().broker).toBe(false);
    proxy.swallow('none');
    proxy.cut();
    await system.recorder.until(
      ({ topic, payload }) => topic.endsWith('/bridge/health') && JSON.parse(payload).answers_dropped > 0,
      from,
      15_000,
    );
    expect(system.logged.filter(({ sentence }) => sentence.includes('that waited for it were dropped'))).toMatchObject([
      { level: 'warn', facts: { dropped: expect.any(Number) } },
    ]);
    await barrier(system);
  });
});
