import { rmSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../src/simulator/simulator.ts';
import { listen, type MqttRecorder } from '../network/mqttRecorder.ts';
import { hurry } from '../schedules/writing.ts';
import { type BridgeProcess, startProcess } from './process.ts';
import { type Overrides, stillHome, storeTokens, tempDir, testSettings } from './testSystem.ts';

export type ProcessSystem = {
  readonly simulator: Simulator;
  readonly recorder: MqttRecorder;
  readonly brokerUrl: string;
  /** The data folder, in which `settings.yaml` lies too. */
  readonly dir: string;
  /** Starts the bridge as a process of its own, with the data folder that an earlier one has left. */
  start(): BridgeProcess;
  /** Starts it and waits until everything known at the start lies on the broker. */
  started(): Promise<BridgeProcess>;
};

export type ProcessSystemOptions = {
  /** The broker of the recorder. */
  readonly brokerUrl: string;
  /** Where the bridge connects to, where that is not the same. */
  readonly bridgeUrl?: string;
  /** The version of MQTT of the recorder; default 5. */
  readonly protocolVersion?: 4 | 5;
  readonly simulator?: SimulatorOptions;
  readonly overrides?: Overrides;
  /** The time zone of the bridge; default is that of the tests. */
  readonly zone?: string;
};

/** The bridge as it is started by its command, everything of one device, a simulated home that stands still, and a recorder. */
export const processSystem = async ({
  brokerUrl,
  bridgeUrl = brokerUrl,
  protocolVersion = 5,
  ...options
}: ProcessSystemOptions): Promise<ProcessSystem> => {
  const simulator = await startSimulator({ home: stillHome, ...options.simulator });
  onTestFinished(() => simulator.close());
  const dir = tempDir();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  await storeTokens(dir, simulator);
  const recorder = await listen(brokerUrl, { protocolVersion });
  onTestFinished(() => recorder.close());
  hurry(recorder);
  const settings = testSettings(simulator, bridgeUrl, dir, { features: ['*'] }, options.overrides);
  const start = (): BridgeProcess => {
    const bridge = startProcess(settings, options.zone === undefined ? {} : { zone: options.zone });
    onTestFinished(() => void bridge.end('SIGKILL'));
    return bridge;
  };
  const started = async (): Promise<BridgeProcess> => {
    const from = recorder.heard.length;
    const bridge = start();
    await recorder.until(({ topic, retain }) => topic.endsWith('/bridge/health') && !retain, from);
    return bridge;
  };
  return { simulator, recorder, brokerUrl, dir, start, started };
};

/** What the bridge has logged at this level, without its pid and time. */
export const loggedBy = (bridge: BridgeProcess, level: 'warn' | 'error'): { readonly msg: string; readonly topic?: string }[] =>
  bridge
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter((line) => line.level === level);
