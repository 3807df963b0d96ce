import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startEmbeddedBroker } from '../../../src/mqtt/embeddedBroker.ts';
import { BRIDGE_RESULT, barrier, started } from '../../support/schedules/writing.ts';
import { databaseIn, inDatabase } from '../../support/system/database.ts';
import { ALL, isOwn, published } from '../../support/system/outcome.ts';
import { retainedOn } from '../../support/system/retainedTopics.ts';
import { type BridgeSystem, startTestSystem } from '../../support/system/testSystem.ts';

const OUTSIDE = 'heating.sensors.temperature.outside';
const CYLINDER = 'heating.dhw.sensors.temperature.dhwCylinder';

const withoutOwn = (retained: ReadonlyMap<string, string>): Map<string, string> =>
  new Map([...retained].filter(([topic]) => !isOwn({ topic })));

const polled = async (system: BridgeSystem): Promise<void> => {
  const before = system.reads();
  await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
  await system.recorder.until(({ topic }) => topic === BRIDGE_RESULT, system.recorder.heard.length - 1);
  await system.untilSo(() => system.reads() > before);
  await barrier(system);
};

const READS = ['device', 'feature'] as const;

test.each(READS)('read: %s: the platform hangs and the broker forgot: all is there as it was, published once', async (read) => {
  const broker = await startEmbeddedBroker(0);
  const features = read === 'device' ? ['*'] : [OUTSIDE, CYLINDER];
  const system = await startTestSystem({ device: { features }, overrides: { platform: { read } }, brokerUrl: broker.url });
  onTestFinished(() => system.close());
  await published(system);
  system.simulator.control({ command: 'remove_value', feature: OUTSIDE });
  await polled(system);
  await system.recorder.until(({ topic, payload }) => topic.endsWith('/outside/value') && payload === '');
  const before = withoutOwn(await retainedOn(broker.url));
  expect([...before.values()].join('')).toContain('sensors/temperature/outside/value');
  await system.stopApp();
  await system.recorder.caughtUp();
  await broker.close();
  system.simulator.control({ command: 'fault', kind: 'hang', times: 1000 });
  const again = await startEmbeddedBroker(broker.port);
  onTestFinished(() => again.close());
  // The recorder is there again, before the bridge is.
  await system.recorder.publish('test/connected', 'again');
  await system.recorder.caughtUp();
  const [from, calls] = [system.recorder.heard.length, system.simulator.calls().length];
  await system.restart();
  await published(system, from);
  expect(withoutOwn(await retainedOn(again.url))).toEqual(before);
  expect(system.simulator.calls().length).toBe(calls);
  const topics = system.recorder.heard.slice(from).flatMap((one) => (isOwn(one) || one.retain ? [] : [one.topic]));
  expect(topics.filter((topic) => !topic.startsWith('test/')).toSorted()).toEqual([...before.keys()].toSorted());
});

test('a start makes no call before one is due, also not after three in a row', async () => {
  const system = await started();
  const before = system.reads();
  for (let run = 0; run < 3; run += 1) {
    const from = system.recorder.heard.length;
    await system.restart();
    await published(system, from);
  }
  expect(system.reads()).toBe(before);
});

test('what is due by the time of the start is read at once', async () => {
  const system = await started({ ...ALL, overrides: { poll: { seconds: 1 } } });
  await system.stopApp();
  system.simulator.control({ command: 'set', feature: CYLINDER, value: 47.3 });
  await system.restart();
  await system.recorder.untilTopic('heating2mqtt/home/heating/dhw/sensors/temperature/dhwCylinder/value', '47.3');
});

test('features that the settings choose anew are read at once, and none is told that they no longer choose', async () => {
  const system = await started({ device: { features: ['heating.sensors.*'] } });
  const before = system.reads();
  const [device] = system.settings.devices;
  if (!device) throw new Error('no device');
  await system.restart({ devices: [{ ...device, features: ['heating.dhw.*'] }] });
  await system.recorder.until(({ topic }) => topic.startsWith('heating2mqtt/home/heating/dhw/'));
  await barrier(system);
  expect(system.reads()).toBe(before + 1);
  const topics = [...withoutOwn(await system.retained()).keys()];
  expect(topics.filter((topic) => topic.includes('heating/sensors'))).toEqual([]);
});

// Other damage: test/unit/storage/openDatabase.test.ts.
test('a database that ends in its middle is set aside, said once, the login stays, and everything is read again', async () => {
  const system = await started();
  await system.stopApp();
  const file = databaseIn(system.settings.data_dir);
  const bytes = readFileSync(file).subarray(0, 9000);
  writeFileSync(file, bytes);
  const [from, reads, logged] = [system.recorder.heard.length, system.reads(), system.logged.length];
  await system.restart();
  await published(system, from);
  expect(system.reads()).toBe(reads + 1);
  const aside = readdirSync(system.settings.data_dir).filter((name) => name.includes('.damaged-'));
  expect(aside.map((name) => readFileSync(join(system.settings.data_dir, name)))).toEqual([bytes]);
  expect(system.logged.slice(logged).filter(({ level }) => level === 'warn')).toMatchObject([
    { sentence: expect.stringContaining('its file was renamed and a new one created. The login stays') },
  ]);
});

test('rows that make no sense spoil themselves only', async () => {
  const system = await started();
  await system.stopApp();
  const before = withoutOwn(await system.retained());
  inDatabase(system.settings.data_dir, (database) => {
    const put = database.prepare('INSERT INTO features (device, name, record) VALUES (?, ?, ?)');
    for (const record of ['{}', 'null', '[]', '{"fea', `${'['.repeat(50_000)}${']'.repeat(50_000)}`])
      put.run(`${system.simulator.gateway}/0`, record.slice(0, 5), record);
  });
  const [from, reads] = [system.recorder.heard.length, system.reads()];
  await system.restart();
  await published(system, from);
  expect(system.reads()).toBe(reads);
  expect(withoutOwn(await system.retained())).toEqual(before);
});
