import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type App, startApp } from '../../../src/app.ts';
import { readArguments } from '../../../src/cli/arguments.ts';
import { runCli } from '../../../src/cli/cli.ts';
import { readScheduleRequest } from '../../../src/cli/schedule/scheduleArguments.ts';
import { schedule } from '../../../src/cli/schedule/scheduleCommand.ts';
import type { Io } from '../../../src/cli/terminal/io.ts';
import { loadSettings } from '../../../src/config/load.ts';
import { startEmbeddedBroker } from '../../../src/mqtt/embeddedBroker.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { listen } from '../network/mqttRecorder.ts';
import { retainedOn } from '../system/retainedTopics.ts';
import { recordingLog, SCHEDULE_TOPIC, startTestSystem, stillHome, storeTokens, type TestSystem, tempDir } from '../system/testSystem.ts';

/** What pasted blocks are tried with: the bridge with the simulated home, and its broker. */
export type PasteWorld = {
  /** Publishes a command and waits for its last answer. Throws an Error where the heating did not take it. */
  write(topic: string, payload: string): Promise<void>;
  /** The payloads that are retained on the topics that the filter fits. */
  retained(filter: string): readonly string[];
  /** The entities that Home Assistant is offered. */
  components(): readonly Readonly<Record<string, unknown>>[];
  /** `heating2mqtt schedule` with these words. Gives what it prints; throws an Error where its exit code is not 0. */
  schedule(args: readonly string[], stdin: string): Promise<string>;
  /** Another command, with a folder of its own. */
  cli(args: readonly string[]): Promise<string>;
  /** Runs a bridge with this settings file, on a broker of its own, until it has shown a device. The simulated home takes the place of the real one. */
  run(settings: string): Promise<void>;
  close(): Promise<void>;
};

const DONE: readonly unknown[] = ['applied', 'unchanged', 'valid', 'waiting'];

/** The profiles that docs/schedules.md puts into the settings. */
const PROFILES = [
  ['summer', 'daily none'],
  ['work', 'mon-fri 5:30-8 normal, 17-22 comfort'],
] as const;

const fits = (filter: string, topic: string): boolean => {
  const levels = topic.split('/');
  const wanted = filter.split('/');
  const open = wanted.at(-1) === '#';
  if (open ? levels.length < wanted.length - 1 : levels.length !== wanted.length) return false;
  return wanted.every((level, i) => level === '#' || level === '+' || level === levels[i]);
};

const collector = (stdin: string): { readonly io: Io; printed(): string } => {
  let printed = '';
  const take = (text: string): void => {
    printed += `${text}\n`;
  };
  const io: Io = {
    env: { HOME: tempDir() },
    cwd: tempDir(),
    out: take,
    err: take,
    stdin: Readable.from([stdin]),
    isTTY: false,
    untilSignal: () => Promise.resolve(),
    openBrowser: () => undefined,
  };
  return { io, printed: () => printed };
};

const lastAnswer = async ({ recorder }: TestSystem, topic: string, from: number): Promise<Readonly<Record<string, unknown>>> => {
  const { payload } = await recorder.until(({ topic: on, payload: text }) => {
    if (on !== 'heating2mqtt/home/result' && on !== 'heating2mqtt/bridge/result') return false;
    const { topic: to, status } = JSON.parse(text);
    return to === topic && status !== 'accepted';
  }, from);
  return JSON.parse(payload);
};

/** A bridge with the settings file of a reader: the simulated home stands where the live service or an example stood. */
const runSettings = async (text: string): Promise<void> => {
  const simulator = await startSimulator({ home: stillHome });
  const broker = await startEmbeddedBroker(0);
  const recorder = await listen(broker.url);
  const cwd = tempDir();
  let app: App | undefined;
  try {
    const namesServer = /^ *base_url:/m.test(text);
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
    const env = { HEATING2MQTT_DATA_DIR: cwd, HEATING2MQTT_MQTT_URL: broker.url, ...(namesServer ? {} : live) };
    app = await startApp(loadSettings({ file: 'settings.yaml', env, cwd }), recordingLog([]));
    await recorder.until(({ topic, payload }) => /^heating2mqtt\/[^/]+\/heating\/.*\/record$/.test(topic) && payload !== '');
  } finally {
    await app?.stop();
    await recorder.close();
    await broker.close();
    await simulator.close();
    rmSync(cwd, { recursive: true, force: true });
  }
};

export const startPasteWorld = async (): Promise<PasteWorld> => {
  const system = await startTestSystem({ device: { features: ['*'] }, overrides: { schedules: { profiles: PROFILES } } });
  await system.recorder.untilTopic(`${SCHEDULE_TOPIC}/entries`);
  await system.recorder.untilTopic('heating2mqtt/bridge/state', 'online');
  await system.recorder.until(({ topic }) => topic === 'heating2mqtt/bridge/health');
  const kept = await retainedOn(system.broker.url);
  return {
    write: async (topic, payload) => {
      const from = system.recorder.heard.length;
      await system.recorder.publish(topic, payload);
      const answer = await lastAnswer(system, topic, from);
      if (!DONE.includes(answer['status'])) throw new Error(`${topic} ${payload}: ${JSON.stringify(answer)}`);
    },
    retained: (filter) => [...kept].filter(([topic]) => fits(filter, topic)).map(([, payload]) => payload),
    components: () =>
      [...kept]
        .filter(([topic]) => topic.startsWith('homeassistant/device/'))
        .flatMap(([, payload]) => Object.values<Readonly<Record<string, unknown>>>(JSON.parse(payload).components)),
    schedule: async (args, stdin) => {
      const request = readArguments(['schedule', ...args]);
      if (request.kind !== 'command') throw new Error(`no command: ${args.join(' ')}`);
      const { io, printed } = collector(stdin);
      const code = await schedule(system.settings, readScheduleRequest(request.words, request.values), io);
      if (code !== 0) throw new Error(`schedule ${args.join(' ')} ended with ${code}: ${printed()}`);
      return printed();
    },
    cli: async (args) => {
      const { io, printed } = collector('');
      const code = await runCli(args, io);
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${printed()}`);
      return printed();
    },
    run: runSettings,
    close: () => system.close(),
  };
};
