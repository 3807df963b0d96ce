import type { Heard } from '../network/mqttRecorder.ts';
import type { BridgeSystem, TestSystemOptions } from './testSystem.ts';

/** Read in each poll of `ALL`; tests move it to see that a poll has come through. */
export const CANARY = 'heating.sensors.temperature.outside';
export const CANARY_TOPIC = 'heating2mqtt/home/heating/sensors/temperature/outside/value';

/** Everything of the first device, by one call, in a test system that stands still. */
export const ALL: Pick<TestSystemOptions, 'device' | 'overrides'> = { device: { features: ['*'] } };

/** A circuit with its schedule and curve, a holiday and the canary, by one call: a system that starts faster. */
export const FEW: Pick<TestSystemOptions, 'device' | 'overrides'> = {
  device: { features: ['heating.circuits.0.*', 'heating.operating.programs.holiday*', CANARY] },
};

export const isOwn = ({ topic }: Pick<Heard, 'topic'>, base = 'heating2mqtt'): boolean => topic.startsWith(`${base}/bridge/`);

/** Resolves when everything known at the start lies on the broker: the health report comes after all else. */
export const published = async ({ recorder }: BridgeSystem, from = 0, base = 'heating2mqtt'): Promise<void> => {
  // What a broker sends retained to a recorder that came back is of an earlier run.
  await recorder.until(({ topic, retain }) => topic === `${base}/bridge/health` && !retain, from);
};

/** Stops the bridge and starts it again, until everything is published; gives the place in `heard` where the new run begins. */
export const restarted = async (system: BridgeSystem): Promise<number> => {
  const stopping = system.recorder.heard.length;
  await system.stopApp();
  await system.recorder.untilTopic('heating2mqtt/bridge/state', 'offline', stopping);
  const from = system.recorder.heard.length;
  await system.restart();
  await published(system, from);
  return from;
};

/** Asks for a poll and waits until its read, or one after it, has gone out. */
export const polled = async ({ recorder, reads, untilSo }: BridgeSystem): Promise<void> => {
  const before = reads();
  await recorder.publish('heating2mqtt/bridge/poll/set', 'home');
  await untilSo(() => reads() > before);
};

let canaries = 0;

/** Polls until a new value of the canary has come through; gives what else was heard outside `bridge/`. */
export const heardInPoll = async (system: BridgeSystem): Promise<readonly Heard[]> => {
  await system.awayFromChange(2000);
  const { simulator, recorder } = system;
  await recorder.caughtUp();
  const from = recorder.heard.length;
  await polled(system);
  canaries += 1;
  const value = String(10_000 + canaries / 100);
  simulator.control({ command: 'set', feature: CANARY, property: 'value', value: Number(value) });
  await polled(system);
  await recorder.untilTopic(CANARY_TOPIC, value, from);
  return recorder.heard.slice(from).filter((heard) => !isOwn(heard) && heard.topic !== CANARY_TOPIC);
};
