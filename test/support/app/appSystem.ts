import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { freePort } from '../network/freePort.ts';
import { listen, type MqttRecorder } from '../network/mqttRecorder.ts';
import { stillHome, storeTokens, tempDir } from '../system/testSystem.ts';
import { untilSo } from '../system/untilSo.ts';
import { sameClock } from '../time/sameClock.ts';
import { type FalseSupervisor, startFalseSupervisor, TOKEN } from './falseSupervisor.ts';
import { type StrictBroker, startStrictBroker } from './strictBroker.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
const SUPERVISOR_HERE = new URL('supervisorHere.ts', import.meta.url).href;

export const BROKER_USER = 'addons';
export const FIRST_PASSWORD = 'first password';

export type AppProcess = {
  readonly child: ChildProcess;
  /** Everything it has printed. */
  log(): string;
  untilLogged(text: string): Promise<void>;
  /** Its exit code, when it has ended. */
  ended(): Promise<number | null>;
};

/** A home with Home Assistant: a false Supervisor, a broker with a password, the simulated platform, and the app. */
export type AppSystem = {
  readonly simulator: Simulator;
  readonly supervisor: FalseSupervisor;
  readonly broker: StrictBroker;
  readonly recorder: MqttRecorder;
  /** The folder that is `/data` in the app. */
  readonly dataDir: string;
  /** Where the page listens for ingress. */
  readonly ingress: number;
  /** Runs a command of the app, as its entry point or `docker exec` does. */
  start(...args: readonly string[]): AppProcess;
};

export type AppSystemOptions = {
  /** What people entered in Home Assistant; nothing by default. */
  readonly options?: object;
  /** How often the Supervisor says that no broker has registered yet. */
  readonly notYet?: number;
  readonly withoutTokens?: boolean;
};

/** Everything around the app; all of it ends with the test. The files that the Supervisor makes are there, and no settings file. */
export const startAppSystem = async ({ options = {}, notYet = 0, withoutTokens = false }: AppSystemOptions = {}): Promise<AppSystem> => {
  const simulator = await startSimulator({ home: stillHome, v1Retired: true });
  onTestFinished(() => simulator.close());
  const broker = await startStrictBroker(BROKER_USER, FIRST_PASSWORD);
  const service = { host: '127.0.0.1', port: broker.port, username: BROKER_USER, password: FIRST_PASSWORD };
  const supervisor = await startFalseSupervisor(service, { notYet });
  const recorder = await listen(broker.url, { clientId: 'recorder' });
  onTestFinished(() => recorder.close());
  const dataDir = tempDir();
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  writeFileSync(join(dataDir, 'options.json'), JSON.stringify(options, null, 2), { mode: 0o600 });
  if (!withoutTokens) await storeTokens(dataDir, simulator);
  const [port, ingress] = [await freePort(), await freePort()];
  const env = {
    ...sameClock(),
    SUPERVISOR_TOKEN: TOKEN,
    FALSE_SUPERVISOR_PORT: String(supervisor.port),
    // Where /data, the ports of the app and the live service are elsewhere.
    HEATING2MQTT_DATA_DIR: dataDir,
    HEATING2MQTT_WEB_PORT: String(port),
    HEATING2MQTT_WEB_INGRESS: String(ingress),
    HEATING2MQTT_PLATFORM_PROFILE: 'v2',
    HEATING2MQTT_PLATFORM_BASE_URL: simulator.url,
    HEATING2MQTT_PLATFORM_AUTH_URL: simulator.url,
  };
  const start = (...args: readonly string[]): AppProcess => {
    const child = spawn(process.execPath, ['--import', SUPERVISOR_HERE, MAIN, ...args], { cwd: dataDir, env });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
    }
    const closed = once(child, 'close');
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await closed;
    });
    return {
      child,
      log: () => printed,
      untilLogged: (text) => untilSo(() => printed.includes(text)),
      ended: async () => {
        await closed;
        return child.exitCode;
      },
    };
  };
  return { simulator, supervisor, broker, recorder, dataDir, ingress, start };
};
