import { expect, onTestFinished, test } from 'vitest';
import { readRight } from '../../../../../src/bridge/publish/broker/readRight.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';
import { fakeClock } from '../../../../support/time/fakeClock.ts';

/** The bridge at a broker that shows it what `announce` publishes, while `isShown` is true. */
const setUp = (isShown = false) => {
  const clock = fakeClock();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const broker = { isShown, announced: 0 };
  const told: boolean[] = [];
  const announce = async (): Promise<void> => {
    broker.announced += 1;
    if (broker.isShown) reading.shown();
  };
  const reading = readRight(announce, clock, recordingLog(logged), stop.signal);
  reading.on('changed', () => told.push(reading.isMissing()));
  return { clock, reading, broker, told, levels: () => logged.map(({ level }) => level) };
};

test('a broker that shows at once what it has retained is asked nothing', async () => {
  const { clock, reading, broker, told, levels } = setUp();
  reading.connected();
  reading.shown();
  await clock.pass(600_000);
  expect([broker.announced, told, levels()]).toEqual([0, [], []]);
});

test('a broker that does not repeat what is retained shows what is published once more: nothing is missing', async () => {
  const { clock, reading, broker, told, levels } = setUp(true);
  reading.connected();
  await clock.pass(600_000);
  expect([broker.announced, told, levels()]).toEqual([1, [], []]);
});

test('a broker that shows nothing lets the bridge read nothing: told once over all connections, until it shows something', async () => {
  const { clock, reading, broker, told, levels } = setUp();
  for (let connection = 0; connection < 3; connection += 1) {
    reading.connected();
    await clock.pass(9000);
    expect(told).toEqual(connection === 0 ? [] : [true]);
    await clock.pass(100_000);
    reading.disconnected();
  }
  expect([told, levels()]).toEqual([[true], ['warn']]);
  // The right is given without a new connection.
  reading.connected();
  await clock.pass(10_000);
  broker.isShown = true;
  await clock.pass(60_000);
  expect([told, levels()]).toEqual([
    [true, false],
    ['warn', 'info'],
  ]);
});

test('a connection that ends before the broker had its time says nothing', async () => {
  const { clock, reading, broker, told } = setUp();
  for (let connection = 0; connection < 5; connection += 1) {
    reading.connected();
    await clock.pass(4000);
    reading.disconnected();
    await clock.pass(60_000);
  }
  expect([broker.announced, told]).toEqual([0, []]);
});
