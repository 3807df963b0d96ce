import { visitBroker } from '../../../src/mqtt/connect.ts';
import { readRetained } from '../../../src/mqtt/readRetained.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { featureTopics, recordsFrom, stateOf } from '../devices/expected.ts';
import type { TestSystem } from './testSystem.ts';

/**
 * The retained topics that are not as the platform's records say on the broker at `url`: of the first device, its documents as they were heard by
 * the system's recorder, and the states of bridge and device. Topics are named one by one too, as RabbitMQ knows no wildcards here.
 */
export const wrongTopics = async (system: TestSystem, url: string): Promise<readonly string[]> => {
  const wanted = stateOf('heating2mqtt/home', await recordsFrom(system.simulator, system.simulator.devices[0] ?? ''));
  for (const { topic, payload } of system.recorder.heard) {
    if (topic.startsWith('homeassistant/') && payload !== '') wanted.set(topic, payload);
  }
  wanted.set('heating2mqtt/bridge/state', 'online').set('heating2mqtt/home/availability', 'online');
  const options = { url, clientId: 'looks', version: 'auto' } as const;
  const retained = new Map<string, string>();
  const { client } = await visitBroker(options);
  for (const filters of [['heating2mqtt/#'], [...wanted.keys()]])
    for (const [topic, payload] of await readRetained(client, filters, systemClock).catch(() => [])) retained.set(topic, payload);
  await client.endAsync();
  const unknown = [...featureTopics(retained, 'heating2mqtt/home').keys()].filter((topic) => !wanted.has(topic));
  // What a record makes of more than itself has no payload here.
  const isWrong = ([topic, payload]: readonly [string, string | undefined]) =>
    payload ? retained.get(topic) !== payload : !retained.has(topic);
  return [...[...wanted].filter(isWrong).map(([topic]) => topic), ...unknown];
};
