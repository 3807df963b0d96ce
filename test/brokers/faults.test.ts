import { describe, expect, onTestFinished, test } from 'vitest';
import { defaultHome, type Home } from '../../src/simulator/home/home.ts';
import { featureTopics, recordsFrom, stateOf } from '../support/devices/expected.ts';
import { startMosquitto } from '../support/network/mosquitto.ts';
import type { Heard } from '../support/network/mqttRecorder.ts';
import { type BrokerProxy, startProxy } from '../support/network/proxy.ts';
import { barrier, DEVICE_RESULT, RESULT, resultIn, SET, terminalFor } from '../support/schedules/writing.ts';
import type { BridgeProcess } from '../support/system/process.ts';
import { loggedBy, type ProcessSystem, processSystem } from '../support/system/processSystem.ts';
import { retainedOn } from '../support/system/retainedTopics.ts';
import { SCHEDULE_TOPIC } from '../support/system/testSystem.ts';

const levels = (count: number, level = 'a'): string => Array(count).fill(level).join('/');

/** How often the connection was lost. */
const falls = (bridge: BridgeProcess): number =>
  loggedBy(bridge, 'warn').filter(({ msg }) => msg === 'connection to the broker lost').length;

const proxied = async (): Promise<{ brokerUrl: string; proxy: BrokerProxy }> => {
  const mosquitto = await startMosquitto({ config: ['set_tcp_nodelay true'] });
  onTestFinished(() => mosquitto.stop());
  const proxy = await startProxy(mosquitto.port);
  onTestFinished(() => proxy.close());
  return { brokerUrl: mosquitto.url, proxy };
};

/** The default home with these features besides. */
const homeWith = (features: Readonly<Record<string, object>>): Home => ({
  ...defaultHome,
  lives: false,
  devices: { '0': { features: { ...defaultHome.devices['0']?.features, ...features } } },
});

/** Everything that the records say lies on the broker, but for these topics. */
const expectAllBut = async (system: ProcessSystem, brokerUrl: string, isLeftOut: (topic: string) => boolean): Promise<void> => {
  const wanted = stateOf('heating2mqtt/home', await recordsFrom(system.simulator, '0'));
  const seen = featureTopics(await retainedOn(brokerUrl), 'heating2mqtt/home');
  expect([...seen.keys()].sort()).toEqual([...wanted.keys()].filter((topic) => !isLeftOut(topic)).sort());
};

describe('a message of somebody else', () => {
  test.each<[what: string, responseTopic: string]>([
    ['of 202 levels', levels(202)],
    ['of 250 levels', levels(250)],
    ['with nothing but slashes', '/'.repeat(300)],
    ['of 65,535 bytes in 5000 levels', levels(5000, 'abcdefghijkl')],
  ])('with a response topic %s is answered on the result topics, and the connection stands', async (_what, responseTopic) => {
    const system = await processSystem(await proxied());
    const bridge = await system.started();
    for (const topic of [SET, 'heating2mqtt/nobody/x/set', 'heating2mqtt/bridge/poll/set', `${SCHEDULE_TOPIC}/call/setSchedule`]) {
      const from = system.recorder.heard.length;
      await system.recorder.publish(topic, 'nonsense', { responseTopic, correlation: 'x'.repeat(1000) });
      await system.recorder.until((heard) => heard.topic.endsWith('/result') && resultIn(heard).topic === topic, from);
    }
    await barrier(system);
    expect(falls(bridge)).toBe(0);
    expect(system.recorder.heard.filter(({ topic }) => topic === responseTopic)).toEqual([]);
    expect(loggedBy(bridge, 'warn')).toEqual([]);
  });

  test.each<[what: string, topic: string]>([
    ['of a device', `heating2mqtt/home/${'x'.repeat(65_535 - 'heating2mqtt/home//set'.length)}/set`],
    ['of a device, two bytes shorter', `heating2mqtt/home/${'x'.repeat(65_533 - 'heating2mqtt/home//set'.length)}/set`],
    ['of nobody', `heating2mqtt/${'x'.repeat(65_535 - 'heating2mqtt//x/set'.length)}/x/set`],
    ['of a call', `heating2mqtt/home/a/call/${'x'.repeat(65_535 - 'heating2mqtt/home/a/call/'.length)}`],
  ])('on a command topic of 65,535 bytes %s is answered, and the connection stands', async (_what, topic) => {
    const system = await processSystem(await proxied());
    const bridge = await system.started();
    const from = system.recorder.heard.length;
    await system.recorder.publish(topic, 'x', { responseTopic: 'reply', correlation: 'y'.repeat(65_535) });
    const isAnswer = (heard: Heard): boolean => heard.topic.endsWith('/result') && resultIn(heard).topic === topic;
    await system.recorder.until(isAnswer, from);
    const reply = await system.recorder.untilTopic('reply', undefined, from);
    expect(reply.correlation).toHaveLength(65_535);
    await barrier(system);
    expect(falls(bridge)).toBe(0);
  });

  test('that is much longer than any payload may be never comes, and the connection stands', async () => {
    const system = await processSystem(await proxied());
    const bridge = await system.started();
    const from = system.recorder.heard.length;
    await system.recorder.publish(SET, 'x'.repeat(70_000));
    expect(await terminalFor(system.recorder, SET, from)).toMatchObject({ status: 'rejected', errors: [{ rule: 'size' }] });
    const then = system.recorder.heard.length;
    await system.recorder.publish(SET, 'x'.repeat(12_000_000));
    await barrier(system);
    expect(system.recorder.heard.slice(then).filter(({ topic }) => topic === RESULT || topic === DEVICE_RESULT)).toEqual([]);
    expect(falls(bridge)).toBe(0);
  });
});

describe('a feature of the platform', () => {
  test.each<[what: string, feature: string, why: RegExp]>([
    ['of 250 levels', `deep.${levels(249).replaceAll('/', '.')}`, /^it has 2\d\d levels; at most 200 are allowed$/],
    ['of 70,000 characters', `long.${'x'.repeat(70_000)}`, /^it has 70\d\d\d bytes; at most 65535 are allowed$/],
  ])('with a name %s is left out and told, and all the others come through', async (_what, feature, why) => {
    const { brokerUrl } = await proxied();
    const home = homeWith({ [feature]: { properties: { value: { type: 'number', value: 1 } } } });
    const system = await processSystem({ brokerUrl, simulator: { home } });
    const bridge = await system.started();
    for (const value of [2, 3]) {
      system.simulator.control({ command: 'set', feature, value });
      const from = system.recorder.heard.length;
      await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
      await terminalFor(system.recorder, 'heating2mqtt/bridge/poll/set', from, 'heating2mqtt/bridge/result');
    }
    await barrier(system);
    const stem = `heating2mqtt/home/${feature.slice(0, 4)}/`;
    await expectAllBut(system, brokerUrl, (topic) => topic.startsWith(stem));
    expect(falls(bridge)).toBe(0);
    const told = loggedBy(bridge, 'warn');
    expect(told).toHaveLength(2);
    for (const line of told) expect(line).toMatchObject({ topic: expect.stringContaining(stem), why: expect.stringMatching(why) });
    expect(bridge.log().length).toBeLessThan(100_000);
  });
});

describe('a small message at which the broker closes the connection', () => {
  const BAD = 'heating2mqtt/home/heating/sensors/temperature/outside/value';

  test('is left out with one line that names it, and all the others come through', async () => {
    const { brokerUrl, proxy } = await proxied();
    proxy.cutAt((topic) => topic === BAD);
    const system = await processSystem({ brokerUrl, bridgeUrl: proxy.url });
    const bridge = system.start();
    await system.recorder.until(({ topic }) => topic.endsWith('/bridge/health'), 0);
    await barrier(system);
    await expectAllBut(system, brokerUrl, (topic) => topic === BAD);
    expect(loggedBy(bridge, 'warn').filter(({ topic }) => topic !== undefined)).toMatchObject([
      { topic: BAD, msg: expect.stringContaining('the connection ended twice while this message was sent') },
    ]);
    expect(falls(bridge)).toBe(2);
    expect(loggedBy(bridge, 'error')).toEqual([]);
  });

  test('is left out too where it is an answer; the next command is answered', async () => {
    const { brokerUrl, proxy } = await proxied();
    proxy.cutAt((topic) => topic === 'flows/reply');
    const system = await processSystem({ brokerUrl, bridgeUrl: proxy.url });
    const bridge = await system.started();
    const told = () => loggedBy(bridge, 'warn').filter(({ topic }) => topic === 'flows/reply');
    await system.recorder.publish(SET, 'nonsense', { responseTopic: 'flows/reply' });
    await expect.poll(told).toHaveLength(1);
    // Once at the start, and once after each fall.
    const connects = () =>
      system.recorder.heard.filter(
        ({ topic, payload, retain }) => topic === 'heating2mqtt/bridge/state' && payload === 'online' && !retain,
      );
    await expect.poll(() => connects().length).toBe(1 + falls(bridge));
    const from = system.recorder.heard.length;
    const before = falls(bridge);
    await system.recorder.publish(SET, 'nonsense', { responseTopic: 'flows/reply' });
    await terminalFor(system.recorder, SET, from);
    await barrier(system);
    expect(told()).toHaveLength(1);
    expect(falls(bridge)).toBe(before);
    expect(before).toBeLessThanOrEqual(2);
  });
});
