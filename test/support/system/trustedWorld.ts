import { isRecord } from '../../../src/shared/json.ts';
import type { Simulator } from '../../../src/simulator/simulator.ts';
import { recordsFrom } from '../devices/expected.ts';
import type { MqttRecorder } from '../network/mqttRecorder.ts';
import type { ShownWeek } from '../schedules/weeks.ts';
import { DEVICE_RESULT, isTerminal, type Result, resultIn } from '../schedules/writing.ts';
import type { BridgeProcess } from './process.ts';
import { processSystem } from './processSystem.ts';
import { SCHEDULE, SCHEDULE_TOPIC } from './testSystem.ts';

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
  const { simulator, recorder, reads, posts, started } = await processSystem({
    overrides: { commands: { fresh_s: 5, confirm_s: [0.5, 1, 1.5, 2], ...commands }, schedules: { time_zone: 'UTC' } },
  });
  simulator.control({ command: 'lag', ms: lagMs });
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
    start: () => started(),
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
    reads,
    posts: () => posts().length,
  };
};
