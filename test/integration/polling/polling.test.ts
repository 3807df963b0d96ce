import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import { featureTopics, recordsFrom, stateOf } from '../../support/devices/expected.ts';
import { freePort } from '../../support/network/freePort.ts';
import { sharedSystem, started } from '../../support/schedules/writing.ts';
import { ALL, CANARY, FEW, heardInPoll, polled } from '../../support/system/outcome.ts';
import { type BridgeSystem, startTestSystem } from '../../support/system/testSystem.ts';

const FEATURES_OF_HOME = defaultHome.devices['0']?.features ?? {};
const AVAILABILITY = 'heating2mqtt/home/availability';
const told = (system: BridgeSystem, level: string, from = 0) =>
  system.logged.slice(from).filter((line) => line.level === level && line.sentence.startsWith('reading'));

describe('the calls', () => {
  const FEATURES = ['heating.circuits.0.heating.schedule', CANARY, 'heating.dhw'];
  const path = ({ simulator }: BridgeSystem, rest: string): string =>
    `/iot/v1/equipment/installations/${simulator.installation}/gateways/${simulator.gateway}/devices/0/features${rest}`;

  test('read: feature is one GET for each feature on the documented path', async () => {
    const system = await started({ device: { features: FEATURES }, overrides: { platform: { read: 'feature' } } });
    expect(system.simulator.calls().map(({ method, path, status }) => [method, path, status])).toEqual(
      FEATURES.map((feature) => ['GET', path(system, `/${feature}`), 200]),
    );
    await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await system.untilSo(() => system.reads() === 6);
    expect(
      system.simulator
        .calls()
        .slice(3)
        .map(({ path }) => path)
        .sort(),
    ).toEqual(FEATURES.map((feature) => path(system, `/${feature}`)).sort());
  });

  test('read: device is one GET for the device, whose features are then chosen by name and by glob', async () => {
    const system = await started({
      device: { features: ['heating.circuits.0.*', CANARY], exclude: ['*.schedule'] },
      overrides: { platform: { read: 'device' } },
    });
    expect(system.simulator.calls().map(({ path }) => path)).toEqual([path(system, '')]);
    const records = await recordsFrom(system.simulator, '0');
    const chosen = records.filter(
      ({ feature }) => (feature.startsWith('heating.circuits.0.') || feature === CANARY) && !feature.endsWith('.schedule'),
    );
    expect(chosen.length).toBeGreaterThan(10);
    const seen = featureTopics(await system.retained(), 'heating2mqtt/home');
    expect([...seen.keys()].sort()).toEqual([...stateOf('heating2mqtt/home', chosen).keys()].sort());
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

  const shared = sharedSystem(ALL);

  test.each(KINDS)('by %s keeps the last values, is told once, and told once when it is over', async (kind) => {
    const system = kind === 'hang' ? await started({ ...ALL, overrides: { platform: { timeout_s: 0.5 } } }) : shared();
    const lines = system.logged.length;
    const before = featureTopics(await system.retained(), 'heating2mqtt/home');
    const from = system.recorder.heard.length;
    system.simulator.control({ command: 'fault', kind });
    for (let n = 0; n < 3; n += 1) await polled(system);
    await system.untilSo(() => told(system, 'warn', lines).length > 0);
    expect(told(system, 'warn', lines)).toMatchObject([{ facts: { device: 'home', code: expect.any(String), why: expect.any(String) } }]);
    const isOffline = kind.endsWith('_offline');
    if (isOffline) await system.recorder.untilTopic(AVAILABILITY, 'offline', from);
    expect([...featureTopics(await system.retained(), 'heating2mqtt/home')]).toEqual([...before]);
    system.simulator.control({ command: 'clear' });
    const heard = await heardInPoll(system);
    expect(heard.map(({ topic, payload }) => [topic, payload])).toEqual(isOffline ? [[AVAILABILITY, 'online']] : []);
    expect(told(system, 'warn', lines)).toHaveLength(1);
    expect(told(system, 'info', lines)).toHaveLength(1);
    expect((await system.retained()).get(AVAILABILITY)).toBe('online');
  });

  test('by an empty list is no failure and clears nothing', async () => {
    const system = await started();
    const before = featureTopics(await system.retained(), 'heating2mqtt/home');
    system.simulator.control({ command: 'fault', kind: 'empty_list' });
    for (let n = 0; n < 4; n += 1) await polled(system);
    system.simulator.control({ command: 'clear' });
    expect(await heardInPoll(system)).toEqual([]);
    expect([...featureTopics(await system.retained(), 'heating2mqtt/home').keys()]).toEqual([...before.keys()]);
  });

  test('of one feature leaves the others as they are', async () => {
    const features = ['heating.circuits.0.heating.schedule', 'heating.nothing', CANARY];
    const system = await started({ device: { features }, overrides: { platform: { read: 'feature' } } });
    expect(told(system, 'warn')).toMatchObject([{ facts: { feature: 'heating.nothing', code: 'not_found' } }]);
    const retained = await system.retained();
    expect(retained.get(AVAILABILITY)).toBe('online');
    expect(retained.has('heating2mqtt/home/heating/circuits/0/heating/schedule/entries')).toBe(true);
    expect(await heardInPoll(system)).toEqual([]);
    expect(told(system, 'warn')).toHaveLength(1);
  });

  test('of thirty features in one outage is told once', async () => {
    const system = await started({
      ...ALL,
      overrides: { platform: { read: 'feature' } },
      device: { features: Object.keys(FEATURES_OF_HOME).slice(0, 30) },
    });
    system.simulator.control({ command: 'fault', kind: 'html502' });
    const before = system.reads();
    await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await system.untilSo(() => system.reads() >= before + 30);
    await system.time.pass(1000);
    system.simulator.control({ command: 'clear' });
    await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await system.untilSo(() => told(system, 'info').length > 0 && system.reads() >= before + 60);
    expect(told(system, 'warn')).toHaveLength(1);
    expect(told(system, 'info')).toHaveLength(1);
  });
});

describe('429', () => {
  test('stops all calls until limitReset, is told once, shows in bridge/quota and is never offline', async () => {
    const system = await started();
    const from = system.recorder.heard.length;
    system.simulator.control({ command: 'fault', kind: 'rate_limited', limitReset: 7_200_000, times: 1 });
    await polled(system);
    await system.untilSo(() => system.logged.some(({ sentence }) => sentence.includes('429')));
    const calls = system.simulator.calls().length;
    await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    const answer = await system.recorder.until(
      ({ topic, payload }) => topic === 'heating2mqtt/bridge/result' && payload.includes('rejected'),
      from,
    );
    expect(JSON.parse(answer.payload)).toMatchObject({
      status: 'rejected',
      code: 'no_quota',
      message: expect.stringContaining('refuses further calls until 20'),
    });
    expect(system.simulator.calls()).toHaveLength(calls);
    expect(system.logged.filter(({ level }) => level === 'warn')).toMatchObject([{ sentence: expect.stringContaining('429') }]);
    expect(system.recorder.heard.slice(from).some(({ topic }) => topic === AVAILABILITY)).toBe(false);
    expect(system.app.status().platform).toBe(true);
  });
});

describe('the platform', () => {
  test('that is not there at the start is told once; when it comes everything is there', async () => {
    const port = await freePort();
    const system = await startTestSystem({
      ...ALL,
      overrides: { platform: { base_url: `http://127.0.0.1:${port}` }, poll: { seconds: 0.2 } },
    });
    onTestFinished(() => system.close());
    await system.recorder.untilTopic('heating2mqtt/bridge/state', 'online');
    await system.untilSo(() => told(system, 'warn').length > 0);
    const origin = Number(new URL(system.simulator.url).port);
    const door = createServer((socket) => {
      const behind = connect(origin, '127.0.0.1');
      socket.pipe(behind).pipe(socket);
      for (const end of [socket, behind]) end.on('error', () => undefined);
    }).listen(port, '127.0.0.1');
    onTestFinished(() => void door.close());
    await once(door, 'listening');
    await system.recorder.untilTopic(AVAILABILITY, 'online');
    await system.untilSo(() => told(system, 'info').length > 0);
    const wanted = stateOf('heating2mqtt/home', await recordsFrom(system.simulator, '0'));
    for (const [topic, payload] of wanted) await system.recorder.untilTopic(topic, payload || undefined);
    expect(told(system, 'warn')).toHaveLength(1);
    expect(told(system, 'info')).toHaveLength(1);
  });
});

describe('requests', () => {
  test('poll/set polls now, and says so', async () => {
    const system = await started();
    const before = system.reads();
    for (const [payload, message] of [
      ['home', 'home is read now'],
      ['now', 'all devices are read now'],
    ] as const) {
      const from = system.recorder.heard.length;
      await system.recorder.publish('heating2mqtt/bridge/poll/set', payload);
      const answer = await system.recorder.untilTopic('heating2mqtt/bridge/result', undefined, from);
      expect(JSON.parse(answer.payload)).toMatchObject({ status: 'applied', message });
    }
    await system.untilSo(() => system.reads() >= before + 1);
  });

  test('poll/set within a minute of another is rejected and costs no call', async () => {
    const quota = { per_10_minutes: 120, per_day: 1450, reserve_for_commands: 50 };
    const system = await started({ ...FEW, overrides: { platform: { quota } } });
    await polled(system);
    const [reads, from] = [system.reads(), system.recorder.heard.length];
    await system.recorder.publish('heating2mqtt/bridge/poll/set', 'now');
    const said = await system.recorder.until(
      ({ topic, payload }) => topic === 'heating2mqtt/bridge/result' && payload.includes('again'),
      from,
    );
    expect(JSON.parse(said.payload)).toMatchObject({
      status: 'rejected',
      code: 'too_often',
      message: expect.stringMatching(/^all devices were read a moment ago; poll again in \d+ s$/),
    });
    expect(system.reads()).toBe(reads);
  });

  test('republish/set publishes everything again, documents included', async () => {
    const system = await started();
    const before = await system.retained();
    const from = system.recorder.heard.length;
    await system.recorder.publish('heating2mqtt/bridge/republish/set', 'please');
    const wanted = [...before.keys()].filter((topic) => !/bridge\/(health|state)$/.test(topic));
    for (const topic of wanted) await system.recorder.until((heard) => heard.topic === topic && !heard.retain, from);
    const heard = system.recorder.heard.slice(from).filter(({ topic }) => wanted.includes(topic));
    expect(heard).toHaveLength(wanted.length);
  });
});

describe('discovery', () => {
  const documents = (system: BridgeSystem, from = 0) =>
    system.recorder.heard.slice(from).filter(({ topic }) => topic.startsWith('homeassistant/') && topic.endsWith('/config'));

  test('is offered again, once, for the births of Home Assistant; states are not repeated', async () => {
    const system = await started(ALL);
    const before = documents(system);
    expect(before.length).toBeGreaterThan(2);
    const from = system.recorder.heard.length;
    for (let n = 0; n < 3; n += 1) await system.recorder.publish('homeassistant/status', 'online');
    await system.untilSo(() => documents(system, from).length >= before.length);
    expect(await heardInPoll(system)).toEqual([]);
    const again = documents(system, from);
    expect(again.map(({ topic, payload }) => [topic, payload]).sort()).toEqual(before.map(({ topic, payload }) => [topic, payload]).sort());
    const states = system.recorder.heard
      .slice(from)
      .filter(({ topic }) => topic.startsWith('heating2mqtt/home/') && !topic.includes('/outside/'));
    expect(states).toEqual([]);
  });

  test('is not offered again for a death, or for a birth that is retained', async () => {
    const system = await started({
      ...ALL,
      prepare: (_, recorder) => recorder.publish('homeassistant/status', 'online', { retain: true }),
    });
    await system.recorder.caughtUp();
    const from = system.recorder.heard.length;
    await system.recorder.publish('homeassistant/status', 'offline');
    await system.time.pass(60_000);
    expect(documents(system, from)).toEqual([]);
    await system.recorder.publish('homeassistant/status', 'online');
    await system.untilSo(() => documents(system, from).length >= 2);
  });
});
