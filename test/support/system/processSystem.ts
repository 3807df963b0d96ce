import { onTestFinished } from 'vitest';
import type { Settings } from '../../../src/config/settings.ts';
import { startEmbeddedBroker } from '../../../src/mqtt/embeddedBroker.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../src/simulator/simulator.ts';
import { emptyFolder } from '../cli/inProcess.ts';
import { listen, type MqttRecorder } from '../network/mqttRecorder.ts';
import { hurry } from '../schedules/writing.ts';
import { type BridgeProcess, type ProcessOptions, startProcess } from './process.ts';
import { type Overrides, stillHome, storeTokens, testSettings } from './testSystem.ts';

/** Settings in the place of those of the system, and limits of the process. */
export type StartOptions = ProcessOptions & { readonly settings?: Partial<Settings> };

export type ProcessSystem = {
  readonly simulator: Simulator;
  readonly recorder: MqttRecorder;
  readonly brokerUrl: string;
  /** The data folder, in which `settings.yaml` lies too. */
  readonly dir: string;
  readonly settings: Settings;
  /** Calls of features: reads, and commands that were sent. */
  reads(): number;
  posts(): readonly { readonly path: string; readonly body?: string }[];
  /** Starts the bridge as a process of its own, with the data folder that an earlier one has left. */
  start(options?: StartOptions): BridgeProcess;
  /** Starts it and waits until everything known at the start lies on the broker. */
  started(options?: StartOptions): Promise<BridgeProcess>;
};

export type ProcessSystemOptions = {
  /** The broker of the recorder; default one that is embedded in the tests. */
  readonly brokerUrl?: string;
  /** Where the bridge connects to, where that is not the same. */
  readonly bridgeUrl?: string;
  /** Of the recorder; default 5, but 3.1.1 at the embedded broker, which does not speak 5. */
  readonly protocolVersion?: 4 | 5;
  readonly simulator?: SimulatorOptions;
  readonly overrides?: Overrides;
  /** The time zone of the bridge; default is that of the tests. */
  readonly zone?: string;
  /** A data folder that is there already. */
  readonly dir?: string;
};

const ownBroker = async (): Promise<string> => {
  const broker = await startEmbeddedBroker(0);
  onTestFinished(() => broker.close());
  return broker.url;
};

/** The bridge as it is started by its command, everything of one device, a simulated home that stands still, and a recorder. All of it ends with the test. */
export const processSystem = async (options: ProcessSystemOptions = {}): Promise<ProcessSystem> => {
  const brokerUrl = options.brokerUrl ?? (await ownBroker());
  const simulator = await startSimulator({ home: stillHome, ...options.simulator });
  onTestFinished(() => simulator.close());
  const dir = options.dir ?? emptyFolder();
  await storeTokens(dir, simulator);
  const { protocolVersion = options.brokerUrl === undefined ? 4 : 5 } = options;
  const recorder = await listen(brokerUrl, { protocolVersion });
  onTestFinished(() => recorder.close());
  hurry(recorder);
  const settings = testSettings(simulator, options.bridgeUrl ?? brokerUrl, dir, { features: ['*'] }, options.overrides);
  const start: ProcessSystem['start'] = ({ settings: changed, ...limits } = {}) => {
    const bridge = startProcess({ ...settings, ...changed }, { ...(options.zone === undefined ? {} : { zone: options.zone }), ...limits });
    onTestFinished(() => void bridge.end('SIGKILL'));
    return bridge;
  };
  const started: ProcessSystem['started'] = async (given) => {
    const from = recorder.heard.length;
    const bridge = start(given);
    await recorder.until(({ topic, retain }) => topic.endsWith('/bridge/health') && !retain, from);
    return bridge;
  };
  const calls = (method: string) => simulator.calls().filter((call) => call.method === method && call.path.includes('/features'));
  return { simulator, recorder, brokerUrl, dir, settings, reads: () => calls('GET').length, posts: () => calls('POST'), start, started };
};

type Line = { readonly level: string; readonly msg: string; readonly topic?: string };

const linesOf = (bridge: BridgeProcess): readonly Line[] =>
  bridge
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

/** What the bridge has logged at one of these levels. */
export const loggedBy = (bridge: BridgeProcess, ...levels: readonly ('info' | 'warn' | 'error')[]): readonly Line[] =>
  linesOf(bridge).filter(({ level }) => levels.some((one) => one === level));
