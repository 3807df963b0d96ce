import { expect } from 'vitest';
import { featureTopics, isOfComposite, recordsFrom, stateOf } from '../devices/expected.ts';
import { barrier } from '../schedules/writing.ts';
import type { ProcessSystem } from './processSystem.ts';
import { retainedOn } from './retainedTopics.ts';
import { untilSo } from './untilSo.ts';

/** Runs the bridge until it has told everything, with a read of what is so now. */
export const runOnce = async (system: ProcessSystem): Promise<void> => {
  const bridge = await system.started();
  const before = system.reads();
  await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
  await untilSo(() => system.reads() > before);
  // Between two versions of a document there are five seconds, and the run before may have published one just now.
  await untilSo(() => documentsOf(system).every((topic) => system.recorder.last(topic) !== undefined));
  await barrier(system);
  expect(await bridge.end('SIGTERM')).toBe(0);
};

/** What lies on the broker is what a bridge with these settings has to say, and nothing else. */
export const expectRight = async ({ settings, simulator, brokerUrl }: ProcessSystem): Promise<void> => {
  const retained = await retainedOn(brokerUrl);
  const records = (await recordsFrom(simulator, '0')).filter(({ feature }) => !settings.devices[0]?.exclude.includes(feature));
  const wanted = stateOf('heating2mqtt/home', records);
  const seen = featureTopics(retained, 'heating2mqtt/home');
  expect([...seen.keys()].sort()).toEqual([...wanted.keys()].sort());
  for (const [topic, payload] of wanted) if (payload) expect([topic, seen.get(topic)]).toEqual([topic, payload]);
  // Where a midnight passes, there is a first day too.
  const others = [...retained.keys()].filter((topic) => !seen.has(topic) && !isOfComposite(topic) && !topic.includes('/performance/'));
  expect(others.sort()).toEqual([
    ...['auth', 'health', 'info', 'plan', 'problems', 'quota', 'state'].map((leaf) => `heating2mqtt/bridge/${leaf}`),
    ...['availability', 'faults', 'info', 'problems'].map((leaf) => `heating2mqtt/home/${leaf}`),
    ...documentsOf({ simulator }),
  ]);
};

const documentsOf = ({ simulator }: Pick<ProcessSystem, 'simulator'>): readonly string[] => [
  ...['', ...PARTS.map((part) => `_part_${part}`)].map((part) => `homeassistant/device/heating2mqtt_${simulator.gateway}_0${part}/config`),
  'homeassistant/device/heating2mqtt_bridge/config',
];

/** The parts of the simulated home that are devices of their own, in the order of their topics. */
const PARTS = ['generator', 'heating_circuits_0', 'heating_circuits_1', 'heating_dhw', 'ventilation'];

/** Features that change while bridges come and go. */
export const FEATURES = [
  'heating.dhw.sensors.temperature.dhwCylinder',
  'heating.sensors.temperature.outside',
  'heating.sensors.temperature.return',
];
