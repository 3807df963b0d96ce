import { rmSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { startEmbeddedBroker } from '../../../src/mqtt/embeddedBroker.ts';
import { isRecord } from '../../../src/shared/json.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { recordsFrom } from '../devices/expected.ts';
import { listen, type MqttRecorder } from '../network/mqttRecorder.ts';
import type { ShownWeek } from '../schedules/weeks.ts';
import { DEVICE_RESULT, hurry, isTerminal, type Result, resultIn } from '../schedules/writing.ts';
import { type BridgeProcess, startProcess } from './process.ts';
import { SCHEDULE, SCHEDULE_TOPIC, stillHome, storeTokens, tempDir, testSettings } from './testSystem.ts';

export type Trusted = {
  readonly simulator: Simulator;
  readonly recorder: MqttRecorder;
  /** Starts the bridge, up to the first health report. */
  start(): Promise<BridgeProcess>;
  /** Publishes below the schedule (or on a whole topic), with an id of its own, which it gives. */
  write(topic: string, value: unknown, more?: object): Promise<string>;
  /** The first answer with one of these statuses; without any the terminal one. */
  answer(id: string, ...statuses: readonly string[]): Promise<Result>;
  /** How many answers there were. */
  statuses(id: string): readonly string[];
  /** What the platform shows. */
  week(): Promise<ShownWeek>;
  value(feature: string, property: string): Promise<unknown>;
  reads(): number;
  posts(): number;
};

/** The bridge as a process of its own, which can be stopped and killed, between a broker and a platform that shows what it has `lagMs` later. */
export const trustedWorld = async (lagMs: number, commands: object = {}): Promise<Trusted> => {
  const broker = await startEmbeddedBroker(0);
  onTestFinished(() => broker.close());
  const simulator = await startSimulator({ home: stillHome });
  onTestFinished(() => simulator.close());
  simulator.control({ command: 'lag', ms: lagMs });
  const dir = tempDir();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  await storeTokens(dir, simulator);
  const recorder = await listen(broker.url);
  onTestFinished(() => recorder.close());
  hurry(recorder);
  const settings = testSettings(
    simulator,
    broker.url,
    dir,
    { features: ['*'] },
    { commands: { fresh_s: 5, confirm_s: [0.5, 1, 1.5, 2], ...commands }, schedules: { time_zone: 'UTC' } },
  );
  const calls = (method: string) => simulator.calls().filter((call) => call.method === method && call.path.includes('/features')).length;
  const value = async (feature: string, property: string): Promise<unknown> => {
    const record = (await recordsFrom(simulator, '0')).find((one) => one.feature === feature);
    const properties = record?.['properties'];
    return isRecord(properties) && isRecord(properties[property]) ? properties[property].value : undefined;
  };
  const answers = (id: string): readonly Result[] =>
    recorder.heard.filter(({ topic }) => topic === DEVICE_RESULT).flatMap((heard) => (resultIn(heard).id === id ? [resultIn(heard)] : []));
  let ids = 0;
  return {
    simulator,
    recorder,
    start: async () => {
      const from = recorder.heard.length;
      const bridge = startProcess(settings);
      onTestFinished(() => void bridge.end('SIGKILL'));
      await recorder.until(({ topic, retain }) => topic === 'heating2mqtt/bridge/health' && !retain, from);
      return bridge;
    },
    write: async (topic, wanted, more = {}) => {
      ids += 1;
      const id = `w${ids}`;
      await recorder.publish(
        topic.startsWith('heating2mqtt/') ? topic : `${SCHEDULE_TOPIC}/${topic}`,
        JSON.stringify({ value: wanted, id, ...more }),
      );
      return id;
    },
    answer: async (id, ...statuses) =>
      resultIn(
        await recorder.until(
          (heard) => {
            if (heard.topic !== DEVICE_RESULT) return false;
            const said = resultIn(heard);
            return said.id === id && (statuses.length > 0 ? statuses.includes(said.status) : isTerminal(said));
          },
          0,
          15_000,
        ),
      ),
    statuses: (id) => answers(id).map(({ status }) => status),
    week: async () => JSON.parse(JSON.stringify(await value(SCHEDULE, 'entries'))),
    value,
    reads: () => calls('GET'),
    posts: () => calls('POST'),
  };
};
