import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCommandTopic } from '../../../src/topics/topicNames.ts';
import { retainedOn } from '../../support/system/retainedTopics.ts';
import { startTestSystem, type TestSystem } from '../../support/system/testSystem.ts';

type Node = Readonly<Record<string, unknown>> & { readonly type: string; readonly topic?: string };

const FLOWS: readonly Node[] = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../../../examples/node-red/heating2mqtt.json'), 'utf8'),
);
const ofType = (type: string): Node[] => FLOWS.filter((node) => node.type === type);

/** Topics that nothing is retained on: answers, and the end of a write while none is to come. */
const TELLING = /\/(?:result|until)$/;

/** What the flows do is in test/hubs/node-red.hub.ts. */
describe("Node-RED's flows", () => {
  let system: TestSystem;
  beforeAll(async () => {
    system = await startTestSystem({ device: { features: ['*'] } });
    await system.recorder.until(({ topic }) => topic === 'heating2mqtt/bridge/health');
  });
  afterAll(() => system.close());

  test('write only on topics that the bridge listens to, never retained', () => {
    const written = ofType('mqtt out');
    expect(written.length).toBe(3);
    expect(written.filter(({ topic = '' }) => readCommandTopic('heating2mqtt', topic) === undefined)).toEqual([]);
    expect(written.filter(({ retain, qos }) => retain !== 'false' || qos !== '1')).toEqual([]);
  });

  const codeOf = (id: string): string => String(FLOWS.find((node) => node['id'] === id)?.['func']);

  test('raise no alarm for old values where the bridge has just started, or Node-RED', () => {
    const kept = new Map<string, unknown>();
    const flow = { get: (key: string) => kept.get(key), set: (key: string, value: unknown) => kept.set(key, value) };
    const [hear, age] = ['h2m_watch_wrong', 'h2m_watch_old'].map((id) => new Function('msg', 'flow', codeOf(id)));
    const hears = (payload: object) => hear?.({ topic: 'heating2mqtt/bridge/health', payload }, flow);
    const says = () => age?.({ payload: 60 }, flow).payload;
    expect(says()).toBe('fine');
    hears({ last_success_at: new Date(Date.now() - 59 * 60_000).toISOString() });
    hears({});
    expect(says()).toBe('fine');
    hears({ last_success_at: new Date(Date.now() - 61 * 60_000).toISOString() });
    hears({});
    expect(says()).toBe('Nothing was read for more than 60 minutes.');
  });

  test('raise no alarm for a device that was renamed or removed', () => {
    const judge = new Function('msg', codeOf('h2m_watch_wrong'));
    const says = (payload: string) => judge({ topic: 'heating2mqtt/home/availability', payload }).payload;
    expect(['online', 'offline', ''].map(says)).toEqual(['fine', 'Nothing new comes from home.', 'fine']);
  });

  test('hear topics that the bridge publishes, and the answers asked for', async () => {
    const kept = [...(await retainedOn(system.broker.url)).keys()];
    const asked = ofType('mqtt out').map(({ respTopic }) => respTopic);
    for (const { topic = '' } of ofType('mqtt in')) {
      const pattern = new RegExp(`^${topic.replaceAll('+', '[^/]+')}$`);
      const feature = topic.replace(TELLING, '/record');
      expect(asked.includes(topic) || kept.some((one) => pattern.test(one) || (TELLING.test(topic) && one === feature)), topic).toBe(true);
    }
  });
});
