import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { startApp } from '../../../src/app.ts';
import { loadSettings } from '../../../src/config/load.ts';
import { startEmbeddedBroker } from '../../../src/mqtt/embeddedBroker.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { emptyFolder, runCommand } from '../cli/inProcess.ts';
import { fits } from '../network/memoryBroker.ts';
import { answerTo, listen } from '../network/mqttRecorder.ts';
import { somePrices } from '../schedules/somePrices.ts';
import { retainedOn } from '../system/retainedTopics.ts';
import { recordingLog, SCHEDULE_TOPIC, startTestSystem, stillHome, storeTokens } from '../system/testSystem.ts';

/** What pasted blocks are tried with: the bridge with the simulated home, and its broker. */
export type PasteWorld = {
  /** Publishes a command and waits for its last answer. Throws an Error where the heating did not take it. */
  write(topic: string, payload: string): Promise<void>;
  /** The payloads that are retained on the topics that the filter fits. */
  retained(filter: string): readonly string[];
  /** `heating2mqtt` with these words, at this bridge. Gives what it prints; throws an Error where its exit code is not 0. */
  cli(args: readonly string[], stdin: string): Promise<string>;
  /** Runs a bridge with this settings file, on a broker of its own, until it has shown a device. The simulated home takes the place of the real one. */
  run(settings: string): Promise<void>;
  close(): Promise<void>;
};

export const demand = (isRight: boolean, sentence: string): void => {
  if (!isRight) throw new Error(sentence);
};

/** The profiles that docs/schedules.md puts into the settings. */
const PROFILES = [
  ['summer', 'daily none'],
  ['work', 'mon-fri 5:30-8 normal, 17-22 comfort'],
] as const;

/** A bridge with the settings file of a reader: the simulated home stands where the live service or an example stood. */
const runSettings = async (text: string): Promise<void> => {
  const simulator = await startSimulator({ home: stillHome });
  const broker = await startEmbeddedBroker(0);
  const recorder = await listen(broker.url);
  onTestFinished(async () => {
    await recorder.close();
    await broker.close();
    await simulator.close();
  });
  const cwd = emptyFolder();
  const filledIn = text
    .replaceAll(/https:\/\/\w+\.example\.com/g, simulator.url)
    .replace('your-client-id', 'heating2mqtt-demo')
    .replace('mqtt://localhost:1883', broker.url)
    .replace('123456', String(simulator.installation))
    .replace('7571381699991111', simulator.gateway);
  writeFileSync(join(cwd, 'settings.yaml'), filledIn);
  await storeTokens(cwd, simulator);
  const live = {
    HEATING2MQTT_PLATFORM_PROFILE: 'v2',
    HEATING2MQTT_PLATFORM_BASE_URL: simulator.url,
    HEATING2MQTT_PLATFORM_AUTH_URL: simulator.url,
  };
  const namesServer = /^ *base_url:/m.test(text);
  const env = { HEATING2MQTT_DATA_DIR: cwd, HEATING2MQTT_MQTT_URL: broker.url, ...(namesServer ? {} : live) };
  const app = await startApp(loadSettings({ file: 'settings.yaml', env, cwd }), recordingLog([]));
  onTestFinished(async () => {
    await app.stop();
  });
  await recorder.until(({ topic, payload }) => /^heating2mqtt\/[^/]+\/heating\/.*\/record$/.test(topic) && payload !== '');
};

export const startPasteWorld = async (): Promise<PasteWorld> => {
  const overrides = { schedules: { profiles: PROFILES }, prices: { topic: 'home/prices', unit: 'kWh' } } as const;
  const system = await startTestSystem({ device: { features: ['*'] }, overrides });
  await system.recorder.untilTopic(`${SCHEDULE_TOPIC}/entries`);
  await system.recorder.untilTopic('heating2mqtt/bridge/state', 'online');
  await system.recorder.until(({ topic }) => topic === 'heating2mqtt/bridge/health');
  // A week of one level, as a plan has to have.
  await answerTo(system.recorder, 'heating2mqtt/home/heating/dhw/schedule/set', 'daily 05:00-22:00 normal');
  await system.recorder.publish('home/prices', somePrices());
  await system.recorder.until(({ topic, payload }) => topic === 'heating2mqtt/bridge/price_plan' && payload.includes('"proposed"'));
  const kept = await retainedOn(system.broker.url);
  return {
    write: async (topic, payload) => {
      const answer = await answerTo(system.recorder, topic, payload);
      const isDone = ['applied', 'unchanged', 'valid', 'waiting'].includes(answer.status);
      demand(isDone, `${topic} ${payload}: ${JSON.stringify(answer)}`);
    },
    retained: (filter) => [...kept].filter(([topic]) => fits(filter, topic)).map(([, payload]) => payload),
    cli: async (args, stdin) => {
      const cwd = emptyFolder();
      writeFileSync(join(cwd, 'settings.yaml'), JSON.stringify(system.settings));
      const config = args[0] === 'schedule' ? ['--config', 'settings.yaml'] : [];
      const { code, out, err } = await runCommand([...args, ...config], { cwd, stdin });
      demand(code === 0, `${args.join(' ')} ended with ${code}: ${err}`);
      return out;
    },
    run: runSettings,
    close: () => system.close(),
  };
};
