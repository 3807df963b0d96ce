import { visitBroker } from '../../../src/mqtt/connect.ts';
import { readRetained } from '../../../src/mqtt/readRetained.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { featureTopics, recordsFrom, stateOf } from '../devices/expected.ts';
import type { Heard } from '../network/mqttRecorder.ts';
import type { TestSystem } from './testSystem.ts';

/** What the retained topics of the first device, its documents and the states of bridge and device have to say; undefined where any payload is right. */
const wantedTopics = async (system: TestSystem): Promise<ReadonlyMap<string, string | undefined>> => {
  const wanted = stateOf('heating2mqtt/home', await recordsFrom(system.simulator, system.simulator.devices[0] ?? ''));
  for (const { topic, payload } of system.recorder.heard) {
    if (topic.startsWith('homeassistant/') && payload !== '') wanted.set(topic, payload);
  }
  return wanted.set('heating2mqtt/bridge/state', 'online').set('heating2mqtt/home/availability', 'online');
};

const wrongIn = (shown: ReadonlyMap<string, string>, wanted: ReadonlyMap<string, string | undefined>): readonly string[] => {
  // What a record makes of more than itself has no payload here.
  const isWrong = ([topic, payload]: readonly [string, string | undefined]) => (payload ? shown.get(topic) !== payload : !shown.has(topic));
  const unknown = [...featureTopics(shown, 'heating2mqtt/home').keys()].filter((topic) => !wanted.has(topic));
  return [...[...wanted].filter(isWrong).map(([topic]) => topic), ...unknown];
};

/** The topics whose last message is not as the platform's records say, of those that a subscriber of the broker has heard. */
export const wrongHeard = async (system: TestSystem, heard: readonly Heard[]): Promise<readonly string[]> => {
  const wanted = await wantedTopics(system);
  const last = new Map(heard.filter(({ topic }) => wanted.has(topic)).map(({ topic, payload }) => [topic, payload]));
  return wrongIn(last, wanted);
};

/**
 * The retained topics that are not as the platform's records say on the broker at `url`: of the first device, its documents as they were heard by
 * the system's recorder, and the states of bridge and device. Topics are named one by one too, as RabbitMQ knows no wildcards here.
 */
export const wrongTopics = async (system: TestSystem, url: string): Promise<readonly string[]> => {
  const wanted = await wantedTopics(system);
  const options = { url, clientId: 'looks', version: 'auto' } as const;
  const retained = new Map<string, string>();
  const { client } = await visitBroker(options);
  for (const filters of [['heating2mqtt/#'], [...wanted.keys()]])
    for (const [topic, payload] of await readRetained(client, filters, systemClock).catch(() => [])) retained.set(topic, payload);
  await client.endAsync();
  return wrongIn(retained, wanted);
};
