import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type App, startApp } from '../../../src/app.ts';
import type { Settings } from '../../../src/config/settings.ts';
import type { DeviceSettings } from '../../../src/config/validation/deviceEntries.ts';
import { writeTokens } from '../../../src/platform/auth/tokenFile.ts';
import type { Clock } from '../../../src/shared/clock.ts';
import type { Log } from '../../../src/shared/log.ts';
import { machineZone } from '../../../src/shared/timeZone.ts';
import { defaultHome, type Home } from '../../../src/simulator/home/home.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../src/simulator/simulator.ts';
import { listen, type MqttRecorder, type Recorder } from '../network/mqttRecorder.ts';
import { startTestBroker } from '../network/testBroker.ts';
import { retainedOn } from './retainedTopics.ts';
import { untilSo } from './untilSo.ts';

/** Schedules of the simulated home change their mode on this grid, in every zone; the bridge says so by itself. */
const GRID_MS = 600_000;

/** Waits where a schedule can change within so many milliseconds: what the clock has the bridge say must not be taken for what a test did. */
const awayFromChange = async (withinMs: number): Promise<void> => {
  const leftMs = GRID_MS - (Date.now() % GRID_MS);
  if (leftMs < withinMs) await sleep(leftMs + 300);
};

export const SCHEDULE = 'heating.circuits.0.heating.schedule';
export const SCHEDULE_TOPIC = 'heating2mqtt/home/heating/circuits/0/heating/schedule';

/** The built-in home as its data say, at every hour: nothing in it follows the clock. */
export const stillHome: Home = { ...defaultHome, lives: false };

/** Overrides of settings, section by section. */
export type Overrides = {
  readonly [Section in keyof Settings]?: Settings[Section] extends readonly unknown[] | string | false | undefined
    ? Settings[Section]
    : Partial<Settings[Section]>;
};

/** A whole bridge with its platform and its broker, in the machine's time (TestSystem) or in virtual time (virtualTestSystem.ts). */
export type BridgeSystem = {
  readonly simulator: Simulator;
  readonly app: App;
  /** Hears everything on the broker from before the bridge connects. */
  readonly recorder: Recorder;
  readonly settings: Settings;
  readonly logged: readonly { readonly level: string; readonly facts: object; readonly sentence: string }[];
  /** Calls of the API that ended in a read or a command, without those of the identity service. */
  reads(): number;
  posts(): readonly { readonly path: string; readonly body?: string }[];
  /** How the platform was last called. */
  lastMethod(): string | undefined;
  /** What lies retained on the broker. */
  retained(): Promise<ReadonlyMap<string, string>>;
  /** Resolves as soon as it is so; bounded. */
  untilSo(isSo: () => boolean): Promise<void>;
  /** Waits where the machine's clock lets a schedule change within so many milliseconds; virtual time has no such hour. */
  awayFromChange(withinMs: number): Promise<void>;
  /** Stops the bridge and starts it again with the same data folder, broker and platform. */
  restart(overrides?: Overrides): Promise<void>;
  stopApp(): Promise<void>;
  close(): Promise<void>;
};

export type TestSystem = BridgeSystem & { readonly broker: { readonly url: string }; readonly recorder: MqttRecorder };

export type TestSystemOptions = {
  /** Its home stands still unless this names another (`defaultHome` lives by the machine's clock). */
  readonly simulator?: SimulatorOptions;
  readonly device?: Partial<DeviceSettings>;
  readonly overrides?: Overrides;
  /** Another broker than one of its own. */
  readonly brokerUrl?: string;
  /** Before the bridge starts. */
  readonly prepare?: (simulator: Simulator, recorder: MqttRecorder) => Promise<void> | void;
  readonly withoutTokens?: boolean;
  /** The bridge's clock; the platform keeps the machine's. */
  readonly clock?: Clock;
};

export const tempDir = (): string => mkdtempSync(join(tmpdir(), 'h2m-'));

/** Tokens as `heating2mqtt login` leaves them. */
export const storeTokens = async (
  dataDir: string,
  simulator: Simulator,
  scope = 'IoT User offline_access',
  now = Date.now(),
): Promise<void> => {
  const { access_token, refresh_token, expires_in } = simulator.issueTokens(scope);
  await writeTokens(dataDir, {
    access_token,
    ...(refresh_token === undefined ? {} : { refresh_token }),
    expires_at: now + expires_in * 1000,
    scope,
    consent_at: now,
  });
};

export const testSettings = (
  simulator: Simulator,
  brokerUrl: string,
  dataDir: string,
  device: Partial<DeviceSettings> = {},
  overrides: Overrides = {},
): Settings => ({
  platform: {
    profile: 'v1',
    base_url: simulator.url,
    auth_url: simulator.url,
    client_id: 'heating2mqtt-demo',
    redirect_uri: 'http://localhost:4200/',
    scope: 'IoT User offline_access',
    read: 'auto',
    timeout_s: 5,
    // So large that tests may poll as often as they like.
    quota: { per_10_minutes: 1e6, per_day: 1e8, reserve_for_commands: 50 },
    consent_days: 180,
    login_over_mqtt: false,
    ...overrides.platform,
  },
  poll: { seconds: 3600, jitter: 0, gone_after_h: 24, ...overrides.poll },
  mqtt: { url: brokerUrl, base: 'heating2mqtt', version: 'auto', max_payload: 65_536, ...overrides.mqtt },
  homeassistant: {
    discovery: 'device',
    prefix: 'homeassistant',
    status_topic: 'homeassistant/status',
    import: false,
    ...overrides.homeassistant,
  },
  language: overrides.language ?? 'en',
  devices: overrides.devices ?? [
    {
      name: 'home',
      installation: String(simulator.installation),
      gateway: simulator.gateway,
      device: simulator.devices[0] ?? '0',
      features: [SCHEDULE],
      exclude: [],
      ...device,
    },
  ],
  schedules: { time_zone: machineZone(), profiles: [], seasons: [], ...overrides.schedules },
  calendar: { rules: [], addresses: null, allow_private: false, ...overrides.calendar },
  // A test counts the calls that it is about.
  events: { minutes: 0, ...overrides.events },
  energy: { ...overrides.energy },
  gas: { ...overrides.gas },
  history: { days: 14, ...overrides.history },
  prices: {
    topic: null,
    url: null,
    allow_private: false,
    unit: 'auto',
    currency: 'EUR',
    windows: ['22:00-06:30 60 min', '11:00-18:00 60 min'],
    ...overrides.prices,
  },
  commands: {
    settle_ms: 0,
    fresh_s: 60,
    confirm_s: [0.05, 0.1, 0.2, 0.4],
    per_hour: 1000,
    allow: ['*'],
    deny: ['*/remove*', '*/add*', '*/move*'],
    ...overrides.commands,
  },
  // Tests run beside each other, and the port is one.
  web: { enabled: false, port: 8427, hosts: [], trusted_proxies: [], frame_ancestors: [], update_check: false, ...overrides.web },
  ...(overrides.account === undefined ? {} : { account: overrides.account }),
  ...(overrides.choices === undefined ? {} : { devices: [], choices: overrides.choices }),
  data_dir: dataDir,
  log: { level: 'debug', format: 'json', ...overrides.log },
});

export const recordingLog = (logged: { level: string; facts: object; sentence: string }[]): Log => {
  const at = (level: string) => (facts: object, sentence: string) => void logged.push({ level, facts, sentence });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
};

/** The real bridge between the simulated platform and a real broker, all on loopback. */
export const startTestSystem = async (options: TestSystemOptions = {}): Promise<TestSystem> => {
  await awayFromChange(5000);
  const dataDir = tempDir();
  const simulator = await startSimulator({ home: stillHome, ...options.simulator });
  const broker = options.brokerUrl === undefined ? await startTestBroker() : undefined;
  const url = broker?.url ?? options.brokerUrl ?? '';
  const recorder = await listen(url);
  await options.prepare?.(simulator, recorder);
  if (!options.withoutTokens) await storeTokens(dataDir, simulator);
  let settings = testSettings(simulator, url, dataDir, options.device, options.overrides);
  const logged: { level: string; facts: object; sentence: string }[] = [];
  let app: App | undefined = await startApp(settings, recordingLog(logged), options.clock);
  const features = () => simulator.calls().filter(({ path }) => path.includes('/features'));
  return {
    simulator,
    broker: { url },
    get app() {
      if (!app) throw new Error('the bridge is stopped');
      return app;
    },
    recorder,
    get settings() {
      return settings;
    },
    logged,
    reads: () => features().filter(({ method }) => method === 'GET').length,
    posts: () => features().filter(({ method }) => method === 'POST'),
    lastMethod: () => features().at(-1)?.method,
    retained: () => retainedOn(url),
    untilSo,
    awayFromChange,
    restart: async (overrides) => {
      await app?.stop();
      settings = testSettings(simulator, url, dataDir, options.device, { ...options.overrides, ...overrides });
      app = await startApp(settings, recordingLog(logged), options.clock);
    },
    stopApp: async () => {
      await app?.stop();
      app = undefined;
    },
    close: async () => {
      await app?.stop();
      await recorder.close();
      await simulator.close();
      await broker?.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
