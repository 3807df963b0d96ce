import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCommandTopic } from '../../../src/topics/topicNames.ts';
import { retainedOn } from '../../support/system/retainedTopics.ts';
import { startTestSystem, type TestSystem } from '../../support/system/testSystem.ts';

type Node = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string; readonly topic?: string };

const FLOWS: readonly Node[] = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../../../examples/node-red/heating2mqtt.json'), 'utf8'),
);
const ofType = (type: string): Node[] => FLOWS.filter((node) => node.type === type);

const wires = ({ wires = [] }: Node): string[] => (Array.isArray(wires) ? wires.flat().map(String) : []);

/** Topics that nothing is retained on: answers, and the end of a write while none is to come. */
const TELLING = /\/(?:result|until)$/;

describe("Node-RED's flows", () => {
  let system: TestSystem;
  beforeAll(async () => {
    system = await startTestSystem({ device: { features: ['*'] } });
    await system.recorder.until(({ topic }) => topic === 'heating2mqtt/bridge/health');
  });
  afterAll(() => system.close());

  test('have ids that are used once, wires to nodes that there are, and one broker that speaks MQTT 5', () => {
    const ids = FLOWS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(FLOWS.flatMap(wires).filter((id) => !ids.includes(id))).toEqual([]);
    expect(ofType('mqtt-broker')).toMatchObject([{ protocolVersion: '5', cleansession: true }]);
    expect(ofType('tab').length).toBe(3);
  });

  test('write only on topics that the bridge listens to, never retained', () => {
    const written = ofType('mqtt out');
    expect(written.length).toBe(3);
    expect(written.filter(({ topic = '' }) => readCommandTopic('heating2mqtt', topic) === undefined)).toEqual([]);
    expect(written.filter(({ retain, qos }) => retain !== 'false' || qos !== '1')).toEqual([]);
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
