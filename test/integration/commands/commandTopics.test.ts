import { describe, expect, onTestFinished, test } from 'vitest';
import { defaultHome, type HomeFeature } from '../../../src/simulator/home/home.ts';
import { VERSIONS } from '../../support/network/testBroker.ts';
import { barrier } from '../../support/schedules/writing.ts';
import { ALL, published } from '../../support/system/outcome.ts';
import { startTestSystem, type TestSystem } from '../../support/system/testSystem.ts';

const SET = { type: 'number', required: true, constraints: { min: 0, max: 9, stepping: 1 } };
const writes = (name: string, param: string): HomeFeature => ({
  properties: { [param]: { type: 'number', unit: '', value: 1 } },
  commands: { [name]: { params: { [param]: SET }, writes: { [param]: [param] } } },
});
const deep = (levels: number): string => Array.from({ length: levels }, (_, i) => `l${i}`).join('.');

const FEATURES: Readonly<Record<string, HomeFeature>> = {
  'odd.set': writes('set', 'value'),
  'odd.validate': writes('validate', 'value'),
  'odd.none': { ...writes('setValue', 'value'), commands: { '': { params: {} }, '..': { params: {} } } },
  ...Object.fromEntries([11, 12, 13, 40].map((levels) => [deep(levels), writes('setValue', 'value')])),
};
const home = {
  ...defaultHome,
  devices: {
    ...defaultHome.devices,
    '0': { ...defaultHome.devices['0'], features: { ...defaultHome.devices['0']?.features, ...FEATURES } },
  },
};

describe.each(VERSIONS)('every message is executed once and answered once, MQTT %s', (version) => {
  const start = async (): Promise<TestSystem> => {
    const system = await startTestSystem({ ...ALL, simulator: { home }, overrides: { mqtt: { version } } });
    onTestFinished(() => system.close());
    await published(system);
    return system;
  };

  /** Sends, and gives the terminal answers that have come when the bridge has answered what was sent later. */
  const answersTo = async (system: TestSystem, topic: string, payload: string, options = {}): Promise<readonly string[]> => {
    const from = system.recorder.heard.length;
    await system.recorder.publish(topic, payload, options);
    const isAnswer = ({ topic: on, payload: said }: { topic: string; payload: string }): boolean =>
      /^heating2mqtt\/(?:home|bridge)\/result$/.test(on) && JSON.parse(said).topic === topic && JSON.parse(said).status !== 'accepted';
    await system.recorder.until(isAnswer, from);
    await barrier(system);
    return system.recorder.heard
      .slice(from)
      .filter(isAnswer)
      .map(({ payload: said }) => JSON.parse(said).code ?? JSON.parse(said).status);
  };
  const sent = (system: TestSystem): readonly string[] =>
    system.posts().map(({ path, body }) => `${path.replace(/^.*\/features\//, '')} ${body}`);

  test('commands whose names are verbs of topics', async () => {
    const system = await start();
    expect(await answersTo(system, 'heating2mqtt/home/odd/set/call/set', '{"value":2}')).toEqual(['applied']);
    expect(await answersTo(system, 'heating2mqtt/home/odd/set/call/set', '{"value":2}')).toEqual(['unchanged']);
    expect(await answersTo(system, 'heating2mqtt/home/odd/validate/call/validate', '{"value":3}')).toEqual(['applied']);
    expect(await answersTo(system, 'heating2mqtt/home/odd/validate/call/set', '{"value":3}')).toEqual(['unknown_command']);
    expect(await answersTo(system, 'heating2mqtt/home/odd/set/call/set', '{"value":4}', { retain: true })).toEqual(
      version === '5' ? ['retained'] : ['applied'],
    );
    expect(sent(system).slice(0, 2)).toEqual(['odd.set/commands/set {"value":2}', 'odd.validate/commands/validate {"value":3}']);
    expect(system.posts()).toHaveLength(version === '5' ? 2 : 3);
  });

  test('commands without a name that an address can have', async () => {
    const system = await start();
    for (const name of ['', '..']) {
      expect(await answersTo(system, `heating2mqtt/home/odd/none/call/${name}`, 'x')).toEqual(['unknown_command']);
    }
    expect(system.posts()).toEqual([]);
  });

  test('features of many levels', async () => {
    const system = await start();
    for (const levels of [11, 12, 13, 40]) {
      const topic = `heating2mqtt/home/${deep(levels).replaceAll('.', '/')}`;
      expect(await answersTo(system, `${topic}/value/set`, '2'), `${levels} levels`).toEqual(['applied']);
      expect(await answersTo(system, `${topic}/call/setValue`, '3'), `${levels} levels`).toEqual(['applied']);
      expect(await answersTo(system, `${topic}/set`, '{"value":3}'), `${levels} levels`).toEqual(['unchanged']);
    }
    await system.stopApp();
    // What the earlier run said last may still be on its way to the recorder.
    await system.recorder.publish('test/stopped', 'x');
    await system.recorder.untilTopic('test/stopped', 'x');
    const from = system.recorder.heard.length;
    await system.restart();
    await published(system, from);
    expect(await answersTo(system, `heating2mqtt/home/${deep(40).replaceAll('.', '/')}/value/set`, '5')).toEqual(['applied']);
  });
});
