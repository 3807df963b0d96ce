import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startApp } from '../../../src/app.ts';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import { featureTopics, recordsFrom, stateOf } from '../../support/devices/expected.ts';
import { freePort } from '../../support/network/mosquitto.ts';
import { fastClock } from '../../support/system/fastClock.ts';
import { ALL, CANARY, heardInPoll, isOwn, polled, published } from '../../support/system/outcome.ts';
import { retainedOn } from '../../support/system/retainedTopics.ts';
import { recordingLog, startTestSystem, type TestSystem, type TestSystemOptions } from '../../support/system/testSystem.ts';
import { untilSo } from '../../support/system/untilSo.ts';

const start = async (options: TestSystemOptions = ALL): Promise<TestSystem> => {
  const house = await startTestSystem(options);
  onTestFinished(() => house.close());
  await published(house);
  return house;
};

const FEATURES_OF_HOME = defaultHome.devices['0']?.features ?? {};
const AVAILABILITY = 'heating2mqtt/home/availability';
const told = (house: TestSystem, level: string) =>
  house.logged.filter((line) => line.level === level && line.sentence.startsWith('reading'));

describe('the calls', () => {
  const FEATURES = ['heating.circuits.0.heating.schedule', CANARY, 'heating.dhw'];
  const path = ({ simulator }: TestSystem, rest: string): string =>
    `/iot/v1/equipment/installations/${simulator.installation}/gateways/${simulator.gateway}/devices/0/features${rest}`;

  test('read: feature is one GET for each feature on the documented path', async () => {
    const house = await start({ device: { features: FEATURES }, overrides: { platform: { read: 'feature' } } });
    expect(house.simulator.calls().map(({ method, path, status }) => [method, path, status])).toEqual(
      FEATURES.map((feature) => ['GET', path(house, `/${feature}`), 200]),
    );
    await house.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await untilSo(() => house.reads() === 6);
    expect(
      house.simulator
        .calls()
        .slice(3)
        .map(({ path }) => path)
        .sort(),
    ).toEqual(FEATURES.map((feature) => path(house, `/${feature}`)).sort());
  });

  test('read: device is one GET for the device, whose features are then chosen by name and by glob', async () => {
    const house = await start({
      device: { features: ['heating.circuits.0.*', CANARY], exclude: ['*.schedule'] },
      overrides: { platform: { read: 'device' } },
    });
    expect(house.simulator.calls().map(({ path }) => path)).toEqual([path(house, '')]);
    const records = await recordsFrom(house.simulator, '0');
    const chosen = records.filter(
      ({ feature }) => (feature.startsWith('heating.circuits.0.') || feature === CANARY) && !feature.endsWith('.schedule'),
    );
    expect(chosen.length).toBeGreaterThan(10);
    const seen = featureTopics(await retainedOn(house.broker.url), 'heating2mqtt/home');
    expect([...seen.keys()].sort()).toEqual([...stateOf('heating2mqtt/home', chosen).keys()].sort());
  });

  test('go on by themselves at the interval', async () => {
    const house = await start({ ...ALL, overrides: { poll: { seconds: 0.2 } } });
    const before = house.reads();
    await untilSo(() => house.reads() >= before + 3);
  });
});

describe('a read that fails', () => {
  const KINDS = [
    'gateway_offline',
    'device_offline',
    'not_found',
    'not_paid',
    'internal_error',
    'communication_error',
    'updating',
    'html502',
    'html503',
    'html200',
    'timeout504',
    'timeout200',
    'proxy_error',
    'hang',
    'cut_before',
    'cut_headers',
    'cut_middle',
    'rubbish',
    'no_data',
    'null_data',
    'empty',
    'huge',
  ];

  test.each(KINDS)('by %s keeps the last values, is told once, and told once when it is over', async (kind) => {
    const house = await start({ ...ALL, overrides: { platform: { timeout_s: kind === 'hang' ? 0.5 : 5 } } });
    const before = featureTopics(await retainedOn(house.broker.url), 'heating2mqtt/home');
    const from = house.recorder.heard.length;
    house.simulator.control({ command: 'fault', kind });
    for (let n = 0; n < 3; n += 1) await polled(house);
    await untilSo(() => told(house, 'warn').length > 0);
    expect(told(house, 'warn')).toMatchObject([{ facts: { device: 'home', code: expect.any(String), why: expect.any(String) } }]);
    const isOffline = kind.endsWith('_offline');
    if (isOffline) await house.recorder.untilTopic(AVAILABILITY, 'offline', from);
    expect([...featureTopics(await retainedOn(house.broker.url), 'heating2mqtt/home')]).toEqual([...before]);
    house.simulator.control({ command: 'clear' });
    const heard = await heardInPoll(house);
    expect(heard.map(({ topic, payload }) => [topic, payload])).toEqual(isOffline ? [[AVAILABILITY, 'online']] : []);
    expect(told(house, 'warn')).toHaveLength(1);
    expect(told(house, 'info')).toHaveLength(1);
    expect((await retainedOn(house.broker.url)).get(AVAILABILITY)).toBe('online');
  });

  test('by an empty list is no failure and clears nothing', async () => {
    const house = await start();
    const before = featureTopics(await retainedOn(house.broker.url), 'heating2mqtt/home');
    house.simulator.control({ command: 'fault', kind: 'empty_list' });
    for (let n = 0; n < 4; n += 1) await polled(house);
    house.simulator.control({ command: 'clear' });
    expect(await heardInPoll(house)).toEqual([]);
    expect([...featureTopics(await retainedOn(house.broker.url), 'heating2mqtt/home').keys()]).toEqual([...before.keys()]);
  });

  test('of one feature leaves the others as they are', async () => {
    const features = ['heating.circuits.0.heating.schedule', 'heating.nothing', CANARY];
    const house = await start({ device: { features }, overrides: { platform: { read: 'feature' } } });
    expect(told(house, 'warn')).toMatchObject([{ facts: { feature: 'heating.nothing', code: 'not_found' } }]);
    const retained = await retainedOn(house.broker.url);
    expect(retained.get(AVAILABILITY)).toBe('online');
    expect(retained.has('heating2mqtt/home/heating/circuits/0/heating/schedule/entries')).toBe(true);
    expect(await heardInPoll(house)).toEqual([]);
    expect(told(house, 'warn')).toHaveLength(1);
  });

  test('of thirty features in one outage is told once', async () => {
    const house = await start({
      ...ALL,
      overrides: { platform: { read: 'feature' } },
      device: { features: Object.keys(FEATURES_OF_HOME).slice(0, 30) },
    });
    house.simulator.control({ command: 'fault', kind: 'html502' });
    const before = house.reads();
    await house.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await untilSo(() => house.reads() === before + 30);
    house.simulator.control({ command: 'clear' });
    await house.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await untilSo(() => told(house, 'info').length > 0 && house.reads() === before + 60);
    expect(told(house, 'warn')).toHaveLength(1);
    expect(told(house, 'info')).toHaveLength(1);
  });
});

describe('429', () => {
  test('stops all calls until limitReset, is told once, shows in bridge/quota and is never offline', async () => {
    const house = await start();
    const from = house.recorder.heard.length;
    house.simulator.control({ command: 'fault', kind: 'rate_limited', limitReset: 7_200_000, times: 1 });
    await polled(house);
    await untilSo(() => house.logged.some(({ sentence }) => sentence.includes('429')));
    const calls = house.simulator.calls().length;
    await house.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    const answer = await house.recorder.until(
      ({ topic, payload }) => topic === 'heating2mqtt/bridge/result' && payload.includes('rejected'),
      from,
    );
    expect(JSON.parse(answer.payload)).toMatchObject({
      status: 'rejected',
      code: 'no_quota',
      message: expect.stringContaining('refuses further calls until 20'),
    });
    expect(house.simulator.calls()).toHaveLength(calls);
    expect(house.logged.filter(({ level }) => level === 'warn')).toMatchObject([{ sentence: expect.stringContaining('429') }]);
    const [facts] = house.logged.flatMap((line) =>
      line.sentence.includes('429') && 'until' in line.facts ? [String(line.facts.until)] : [],
    );
    expect(Date.parse(facts ?? '') - Date.now()).toBeGreaterThan(7_190_000);
    expect(house.recorder.heard.slice(from).some(({ topic }) => topic === AVAILABILITY)).toBe(false);
    expect(house.app.standing().platform).toBe(true);
  });
});

describe('the platform', () => {
  test('that is not there at the start is told once; when it comes everything is there', async () => {
    const port = await freePort();
    const house = await startTestSystem({
      ...ALL,
      overrides: { platform: { base_url: `http://127.0.0.1:${port}` }, poll: { seconds: 0.2 } },
    });
    onTestFinished(() => house.close());
    await house.recorder.untilTopic('heating2mqtt/bridge/state', 'online');
    await untilSo(() => told(house, 'warn').length > 0);
    const origin = Number(new URL(house.simulator.url).port);
    const door = createServer((socket) => {
      const behind = connect(origin, '127.0.0.1');
      socket.pipe(behind).pipe(socket);
      for (const end of [socket, behind]) end.on('error', () => undefined);
    }).listen(port, '127.0.0.1');
    onTestFinished(() => void door.close());
    await once(door, 'listening');
    await house.recorder.untilTopic(AVAILABILITY, 'online');
    await untilSo(() => told(house, 'info').length > 0);
    const wanted = stateOf('heating2mqtt/home', await recordsFrom(house.simulator, '0'));
    for (const [topic, payload] of wanted) await house.recorder.untilTopic(topic, payload || undefined);
    expect(told(house, 'warn')).toHaveLength(1);
    expect(told(house, 'info')).toHaveLength(1);
  });
});

describe('requests', () => {
  test('poll/set polls now, and says so', async () => {
    const house = await start();
    const before = house.reads();
    for (const [payload, message] of [
      ['home', 'home is read now'],
      ['now', 'all devices are read now'],
    ] as const) {
      const from = house.recorder.heard.length;
      await house.recorder.publish('heating2mqtt/bridge/poll/set', payload);
      const answer = await house.recorder.untilTopic('heating2mqtt/bridge/result', undefined, from);
      expect(JSON.parse(answer.payload)).toMatchObject({ status: 'applied', message });
    }
    await untilSo(() => house.reads() >= before + 1);
  });

  test('poll/set within a minute of another is rejected and costs no call', async () => {
    const quota = { per_10_minutes: 120, per_day: 1450, reserve_for_commands: 50 };
    const house = await start({ ...ALL, overrides: { platform: { quota } } });
    await polled(house);
    const [reads, from] = [house.reads(), house.recorder.heard.length];
    await house.recorder.publish('heating2mqtt/bridge/poll/set', 'now');
    const said = await house.recorder.until(
      ({ topic, payload }) => topic === 'heating2mqtt/bridge/result' && payload.includes('again'),
      from,
    );
    expect(JSON.parse(said.payload)).toMatchObject({
      status: 'rejected',
      code: 'too_often',
      message: expect.stringMatching(/^all devices were asked for a moment ago; poll again from 20\S+Z on$/),
    });
    expect(house.reads()).toBe(reads);
  });

  test('republish/set publishes everything again, documents included', async () => {
    const house = await start();
    const before = await retainedOn(house.broker.url);
    const from = house.recorder.heard.length;
    await house.recorder.publish('heating2mqtt/bridge/republish/set', 'please');
    const wanted = [...before.keys()].filter((topic) => !/bridge\/(health|state)$/.test(topic));
    for (const topic of wanted) await house.recorder.until((heard) => heard.topic === topic && !heard.retain, from);
    const heard = house.recorder.heard.slice(from).filter(({ topic }) => wanted.includes(topic));
    expect(heard).toHaveLength(wanted.length);
  });
});

describe('discovery', () => {
  const documents = (house: TestSystem, from = 0) =>
    house.recorder.heard.slice(from).filter(({ topic }) => topic.startsWith('homeassistant/') && topic.endsWith('/config'));

  /** A house whose bridge does not wait as long as hubs need. */
  const startHasty = async (options: TestSystemOptions = ALL): Promise<TestSystem> => {
    const house = await startTestSystem(options);
    onTestFinished(() => house.close());
    await published(house);
    await house.stopApp();
    const from = house.recorder.heard.length;
    const app = await startApp(house.settings, recordingLog([]), fastClock);
    onTestFinished(() => app.stop());
    await published(house, from);
    return house;
  };

  test('is offered again, once, for the births of Home Assistant; states are not repeated', async () => {
    const house = await startHasty();
    const before = documents(house);
    expect(before).toHaveLength(2);
    const from = house.recorder.heard.length;
    for (let n = 0; n < 3; n += 1) await house.recorder.publish('homeassistant/status', 'online');
    await untilSo(() => documents(house, from).length >= 2);
    expect(await heardInPoll(house)).toEqual([]);
    const again = documents(house, from);
    expect(again.map(({ topic, payload }) => [topic, payload]).sort()).toEqual(before.map(({ topic, payload }) => [topic, payload]).sort());
    const states = house.recorder.heard
      .slice(from)
      .filter(({ topic }) => topic.startsWith('heating2mqtt/home/') && !topic.includes('/outside/'));
    expect(states).toEqual([]);
  });

  test('is not offered again for a death, or for a birth that is retained', async () => {
    const house = await startHasty({
      ...ALL,
      prepare: (_, recorder) => recorder.publish('homeassistant/status', 'online', { retain: true }),
    });
    const from = house.recorder.heard.length;
    await house.recorder.publish('homeassistant/status', 'offline');
    // A birth would have its documents within a quarter of a second here.
    await sleep(500);
    expect(documents(house, from)).toEqual([]);
    await house.recorder.publish('homeassistant/status', 'online');
    await untilSo(() => documents(house, from).length >= 2);
  });
});

test('bridge/ says no secret', async () => {
  const house = await start({ ...ALL, overrides: { mqtt: { username: 'my-user', password: 'my-password' } } });
  const { access_token, refresh_token } = house.simulator.issueTokens();
  const own = [...(await retainedOn(house.broker.url))].filter(([topic]) => isOwn({ topic }));
  const text = JSON.stringify([own, house.logged]);
  expect(own.map(([topic]) => topic).sort()).toEqual(
    ['auth', 'health', 'info', 'quota', 'state'].map((leaf) => `heating2mqtt/bridge/${leaf}`),
  );
  for (const secret of ['my-password', 'my-user', access_token, refresh_token ?? '']) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/Bearer|eyJ/);
  expect(JSON.parse(house.recorder.last('heating2mqtt/bridge/info') ?? '')).toMatchObject({
    version: expect.any(String),
    started_at: expect.stringMatching(/^\d{4}-/),
    protocol: '3.1.1',
    devices: [{ name: 'home' }],
    settings: expect.any(Object),
  });
});
